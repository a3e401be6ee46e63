"""Rounds of Flower's SecAgg+ (flwr 1.30), for comparison. A process holds Flower's SuperLink, in memory and without TLS, one process
stands for each hospital, and this one is the ServerApp with Flower's SecAggPlusWorkflow; all messages are Flower's own, by gRPC on
loopback. Its polls are patched from seconds to 50 ms. In Flower's favour a hospital's process runs the ClientApp itself: as Flower ships
it, a SuperNode starts a Python process for each of a round's four messages, and passes them to it by a gRPC of its own. Strategy and
client are empty, too: no model is broadcast, and what is aggregated is there before the round.

Every client's key is shared among all of them. The sum of each round is compared with the right one. Reads lines `<length> <threshold>`,
and answers with JSON: seconds of a round. The line `pause` has the hospitals ask for nothing until the next round, and `rest` has
all processes stand still until then, which otherwise wait for one another by the clock."""

import os

os.environ["FLWR_TELEMETRY_ENABLED"] = "0"

import json
import multiprocessing
import signal
import sys
import time
from types import SimpleNamespace

import flwr
import numpy as np
from flwr.client import Client, ClientApp
from flwr.client.grpc_rere_client.connection import grpc_request_response
from flwr.client.mod import secaggplus_mod
from flwr.common import (
    Code,
    ConfigRecord,
    Context,
    FitIns,
    FitRes,
    Parameters,
    RecordDict,
    Status,
    ndarrays_to_parameters,
    parameters_to_ndarrays,
)
from flwr.common.logger import FLOWER_LOGGER
from flwr.common.recorddict_compat import parameters_to_arrayrecord
from flwr.common.retry_invoker import make_simple_grpc_retry_invoker
from flwr.server import LegacyContext
from flwr.server.app import _run_fleet_api_grpc_rere
from flwr.server.client_manager import SimpleClientManager
from flwr.server.compat.grid_client_proxy import GridClientProxy
from flwr.server.grid import grpc_grid
from flwr.server.strategy import FedAvg
from flwr.server.superlink.fleet.grpc_rere.node_auth_server_interceptor import NodeAuthServerInterceptor
from flwr.server.superlink.linkstate import LinkStateFactory
from flwr.server.superlink.serverappio.serverappio_grpc import run_serverappio_api_grpc
from flwr.server.workflow import SecAggPlusWorkflow
from flwr.server.workflow.constant import MAIN_CONFIGS_RECORD, MAIN_PARAMS_RECORD, Key
from flwr.supercore.constant import FLWR_IN_MEMORY_DB_NAME, NOOP_FEDERATION, RunType
from flwr.supercore.heartbeat import HeartbeatSender, make_task_heartbeat_fn_grpc
from flwr.supercore.inflatable.inflatable_object import (
    get_all_nested_objects,
    get_object_tree,
    iterate_object_tree,
    no_object_id_recompute,
)
from flwr.supercore.inflatable.inflatable_utils import (
    inflate_object_from_contents,
    pull_objects,
    push_objects,
)
from flwr.supercore.object_store import ObjectStoreFactory
from flwr.superlink.federation import NoOpFederationManager

poll_seconds = 0.05


def patch_polls():
    """The wait for replies (3 s), and the first wait for an object that is still on its way (1 s, then more)."""
    FLOWER_LOGGER.setLevel("ERROR")
    grpc_grid.time = SimpleNamespace(time=time.time, sleep=lambda seconds: time.sleep(min(seconds, poll_seconds)))
    pull_objects.__kwdefaults__.update(initial_backoff=poll_seconds, backoff_cap=poll_seconds)


def vector_of(length):
    return np.linspace(-1, 1, length, dtype=np.float32)


# ---- SuperLink -------------------------------------------------------------------------------------------------------


def superlink(channel):
    """Flower's two servers and its state. Says where they listen, the run, and the token of its ServerApp."""
    patch_polls()
    objects = ObjectStoreFactory(FLWR_IN_MEMORY_DB_NAME)
    states = LinkStateFactory(FLWR_IN_MEMORY_DB_NAME, NoOpFederationManager(), objects)
    state = states.state()
    listen = {"state_factory": states, "objectstore_factory": objects, "certificates": None}
    apps = run_serverappio_api_grpc(address="127.0.0.1:0", **listen)
    fleet = _run_fleet_api_grpc_rere(
        address="127.0.0.1:0",
        enable_supernode_auth=False,
        interceptors=[NodeAuthServerInterceptor(states)],
        **listen,
    )
    run_id = state.create_run("bench", "1", "", {}, NOOP_FEDERATION, None, None, RunType.SERVER_APP)
    task = state.get_run_info(run_ids=[run_id])[0].primary_task_id
    token = state.claim_task(task)
    state.activate_task(task)
    channel.send((apps.bound_address, fleet.bound_address, run_id, token))
    multiprocessing.parent_process().join()


# ---- a hospital ------------------------------------------------------------------------------------------------------


class VectorClient(Client):
    def fit(self, ins: FitIns) -> FitRes:
        return FitRes(Status(Code.OK, ""), prepared(ins.config["length"]), 1, {})


vectors: dict[int, Parameters] = {}


def prepared(length):
    if length not in vectors:
        vectors[length] = ndarrays_to_parameters([vector_of(length)])
    # Flower empties what it is given.
    return Parameters(list(vectors[length].tensors), vectors[length].tensor_type)


def supernode(fleet, run_id, active):
    """What a SuperNode does with a message, and its ClientApp in the same process."""
    patch_polls()
    app = ClientApp(client_fn=lambda _: VectorClient().to_client(), mods=[secaggplus_mod])
    with grpc_request_response(fleet, True, make_simple_grpc_retry_invoker()) as connection:
        node_id, receive, send, _, _, pull, push, confirm = connection
        context = Context(run_id, node_id, {}, RecordDict(), {})
        while multiprocessing.parent_process().is_alive():
            if not active.wait(1):
                continue
            received = receive()
            if received is None:
                time.sleep(poll_seconds)
                continue
            bare, tree = received
            wanted = [one.object_id for one in iterate_object_tree(tree)]
            contents = pull_objects(wanted, pull_object_fn=lambda id: pull(run_id, id))
            confirm(run_id, bare.metadata.message_id)
            message = inflate_object_from_contents(bare.metadata.message_id, contents)
            message.metadata.__dict__["_message_id"] = bare.metadata.message_id
            reply = app(message, context)
            with no_object_id_recompute():
                reply.metadata.__dict__["_message_id"] = reply.object_id
                all_objects = get_all_nested_objects(reply)
                to_push = send(reply, get_object_tree(reply), 0.0)
                push_objects(
                    all_objects,
                    push_object_fn=lambda id, content: push(run_id, id, content),
                    object_ids_to_push=to_push,
                )


# ---- ServerApp -------------------------------------------------------------------------------------------------------


class OneSum(FedAvg):
    """Asks every hospital, and takes what SecAgg+ has aggregated, without averaging it once more."""

    length = 0
    aggregated: Parameters | None = None

    def configure_fit(self, server_round, parameters, client_manager):
        ins = FitIns(parameters, {"length": self.length})
        return [(client, ins) for client in client_manager.all().values()]

    def aggregate_fit(self, server_round, results, failures):
        if failures:
            raise RuntimeError(f"{len(failures)} clients failed: {failures[0]}")
        self.aggregated = results[0][1].parameters
        return None, {}


def serverapp(apps, run_id, token, sites, active):
    grid = grpc_grid.GrpcGrid(apps, insecure=True, token=token)
    grid.set_run(flwr.common.typing.Run.create_empty(run_id))
    HeartbeatSender(make_task_heartbeat_fn_grpc(grid._stub)).start()
    while len(nodes := list(grid.get_node_ids())) < sites:
        time.sleep(0.1)
    clients = SimpleClientManager()
    for node in nodes:
        clients.register(GridClientProxy(node, grid, run_id))
    print(json.dumps({"flwr": flwr.supercore.version.package_version}), flush=True)
    round_number = 0
    for line in sys.stdin:
        if line.strip() == "pause":
            active.clear()
            time.sleep(4 * poll_seconds)
            print("{}", flush=True)
            continue
        if line.strip() == "rest":
            signal_children(signal.SIGSTOP)
            print("{}", flush=True)
            continue
        length, threshold = map(int, line.split())
        signal_children(signal.SIGCONT)
        active.set()
        round_number += 1
        strategy = OneSum()
        strategy.length = length
        context = LegacyContext(Context(run_id, 0, {}, RecordDict(), {}), None, strategy, clients)
        context.state.config_records[MAIN_CONFIGS_RECORD] = ConfigRecord({Key.CURRENT_ROUND: round_number})
        context.state.array_records[MAIN_PARAMS_RECORD] = parameters_to_arrayrecord(Parameters([], ""), True)
        workflow = SecAggPlusWorkflow(sites, threshold, max_weight=1.0)
        began = time.perf_counter()
        workflow(grid, context)
        seconds = time.perf_counter() - began
        if strategy.aggregated is None:
            raise RuntimeError("SecAgg+ gave no sum")
        (mean,) = parameters_to_ndarrays(strategy.aggregated)
        error = float(np.max(np.abs(mean - vector_of(length))))
        if error > 1e-3:
            raise RuntimeError(f"SecAgg+ is {error} away from the mean")
        print(json.dumps({"seconds": seconds}), flush=True)


def signal_children(number):
    for child in multiprocessing.active_children():
        os.kill(child.pid, number)


def main():
    sites = int(sys.argv[1])
    patch_polls()
    processes = multiprocessing.get_context("spawn")
    channel, other = processes.Pipe()
    active = processes.Event()
    active.set()
    processes.Process(target=superlink, args=(other,), daemon=True).start()
    apps, fleet, run_id, token = channel.recv()
    for _ in range(sites):
        processes.Process(target=supernode, args=(fleet, run_id, active), daemon=True).start()
    try:
        serverapp(apps, run_id, token, sites, active)
    finally:
        # What stands still could not be ended.
        signal_children(signal.SIGCONT)


if __name__ == "__main__":
    main()
