{{- define "consilium.name" -}}
{{- printf "%s-%s" .release.Release.Name .part | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "consilium.selector" -}}
app.kubernetes.io/name: consilium
app.kubernetes.io/instance: {{ .release.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end -}}

{{- define "consilium.labels" -}}
{{ include "consilium.selector" . }}
app.kubernetes.io/version: {{ .release.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .release.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .release.Chart.Name .release.Chart.Version }}
{{- end -}}

{{- define "consilium.image" -}}
{{- $image := .release.Values.image -}}
{{- with $image.registry }}{{ trimSuffix "/" . }}/{{ end }}consilium-{{ .image }}:{{ $image.tag | default .release.Chart.AppVersion }}
{{- end -}}

{{/* Of every pod: user 1000 (1001 for what reads a hospital's tables), no capability, no service account. `OnRootMismatch` keeps the keys' permissions as they are. */}}
{{- define "consilium.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: 15
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .release.Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . | quote }}
{{- end }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "consilium.container" -}}
image: {{ include "consilium.image" . }}
imagePullPolicy: {{ .release.Values.image.pullPolicy }}
securityContext:
  {{- with .user }}
  runAsUser: {{ . }}
  runAsGroup: {{ . }}
  {{- end }}
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* The agent has no port, and the images have no curl. */}}
{{- define "consilium.probes" -}}
startupProbe:
  {{- . | nindent 2 }}
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 60
livenessProbe:
  {{- . | nindent 2 }}
  periodSeconds: 20
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  {{- . | nindent 2 }}
  periodSeconds: 10
  timeoutSeconds: 5
{{- end -}}

{{/* Existing Secrets as files, readable by the process's group alone. */}}
{{- define "consilium.secretVolumes" -}}
{{- range $index, $entry := .secrets }}
- name: {{ $.prefix }}-{{ $index }}
  secret: { secretName: {{ $entry.secret | quote }}, defaultMode: 0440 }
{{- end }}
{{- end -}}

{{- define "consilium.secretMounts" -}}
{{- range $index, $entry := .secrets }}
- { name: {{ $.prefix }}-{{ $index }}, mountPath: {{ $entry.path }}, readOnly: true }
{{- end }}
{{- end -}}

{{- define "consilium.claim" -}}
- metadata: { name: {{ .name }} }
  spec:
    accessModes: [{{ .release.Values.storage.accessMode }}]
    {{- with .release.Values.storage.className }}
    storageClassName: {{ . | quote }}
    {{- end }}
    resources: { requests: { storage: {{ .size }} } }
{{- end -}}

{{/* Rules for DNS, which each policy for outgoing connections begins with. */}}
{{- define "consilium.dns" -}}
{{- with .Values.networkPolicy.dns }}
- to: {{- toYaml . | nindent 4 }}
  ports: [{ protocol: UDP, port: 53 }, { protocol: TCP, port: 53 }]
{{- end }}
{{- end -}}

{{/*
A server: .release, .part (its name), .role (aggregator or publisher), .values, .grpc and .http (ports), .state (stateSecret and
config). Its state folder is /state/<role>, restored from a backup where the volume is empty.
*/}}
{{- define "consilium.server" -}}
{{- $name := include "consilium.name" . -}}
{{- $image := merge (dict "image" .role) . -}}
{{- $folder := printf "/state/%s" .role -}}
{{- if .state.config }}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ $name }}
  labels: {{- include "consilium.labels" . | nindent 4 }}
data:
  config.yaml: | {{- toYaml .state.config | nindent 4 }}
---
{{- end }}
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ $name }}
  labels: {{- include "consilium.labels" . | nindent 4 }}
spec:
  # One process for each state folder.
  replicas: 1
  serviceName: {{ $name }}
  selector:
    matchLabels: {{- include "consilium.selector" . | nindent 6 }}
  template:
    metadata:
      labels: {{- include "consilium.labels" . | nindent 8 }}
      annotations:
        checksum/config: {{ toYaml .state.config | sha256sum }}
    spec:
      {{- include "consilium.pod" . | nindent 6 }}
      initContainers:
        - name: restore
          {{- include "consilium.container" $image | nindent 10 }}
          command:
            - sh
            - -euc
            - |
              if [ -f {{ $folder }}/identity/chain.pem ]; then exit 0; fi
              if [ ! -f /seed/state.tar ]; then
                echo "The volume is empty and the Secret of stateSecret has no key state.tar: make it with consilium backup {{ .role }}" >&2
                exit 1
              fi
              consilium restore /seed/state.tar --state {{ $folder }}
          resources: {{- toYaml .values.resources | nindent 12 }}
          volumeMounts:
            - { name: state, mountPath: /state }
            - { name: tmp, mountPath: /tmp }
            {{- if .state.stateSecret }}
            - { name: seed, mountPath: /seed, readOnly: true }
            {{- end }}
      containers:
        - name: {{ .role }}
          {{- include "consilium.container" $image | nindent 10 }}
          command: [node, /app/{{ .role }}/dist/main.js, --state, {{ $folder }}]
          ports:
            - { name: grpc, containerPort: {{ .grpc }} }
            - { name: http, containerPort: {{ .http }} }
          {{- include "consilium.probes" "httpGet: { path: /healthz, port: http }" | nindent 10 }}
          resources: {{- toYaml .values.resources | nindent 12 }}
          volumeMounts:
            - { name: state, mountPath: /state }
            - { name: tmp, mountPath: /tmp }
            {{- if .state.config }}
            - { name: config, mountPath: {{ $folder }}/config.yaml, subPath: config.yaml, readOnly: true }
            {{- end }}
            {{- with include "consilium.secretMounts" (dict "prefix" "secret" "secrets" .values.secrets) }}
            {{- . | trim | nindent 12 }}
            {{- end }}
      volumes:
        - name: tmp
          emptyDir: { sizeLimit: 256Mi }
        {{- with .state.stateSecret }}
        # Optional, so that it can be deleted once the volume holds the state.
        - name: seed
          secret: { secretName: {{ . | quote }}, optional: true, defaultMode: 0440 }
        {{- end }}
        {{- if .state.config }}
        - name: config
          configMap: { name: {{ $name }} }
        {{- end }}
        {{- with include "consilium.secretVolumes" (dict "prefix" "secret" "secrets" .values.secrets) }}
        {{- . | trim | nindent 8 }}
        {{- end }}
  volumeClaimTemplates:
    {{- include "consilium.claim" (dict "release" .release "name" "state" "size" .values.storage) | nindent 4 }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}-http
  labels: {{- include "consilium.labels" . | nindent 4 }}
spec:
  selector: {{- include "consilium.selector" . | nindent 4 }}
  ports:
    - { name: http, port: {{ .http }}, targetPort: http }
{{- end -}}
