import { databaseReaders, type Opener } from "../readers.js";
import { databases } from "../registry.js";
import type { DatabaseName } from "./databaseConfig.js";
import { databaseSource } from "./databaseSource.js";

/** A table that is one query in a database. */
export function openQuery(name: DatabaseName): Opener {
  return async (config) => {
    const place = config[name]!;
    const orderBy = place.orderBy ?? (databases[name].ordersRows ? undefined : null);
    const database = await databaseReaders[name](place);
    const source = databaseSource(config, database, { select: place.query, orderBy });
    return { format: name, files: [config.name], source };
  };
}
