{{- define "kube-placement.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels by which pods of a component are selected; they never change. */}}
{{- define "kube-placement.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "kube-placement.labels" -}}
{{ include "kube-placement.selector" . }}
app.kubernetes.io/part-of: {{ .root.Chart.Name }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "kube-placement.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The service account of the service's pods. */}}
{{- define "kube-placement.serviceAccount" -}}
{{ include "kube-placement.fullname" . }}{{ if .Values.writeTaints.enabled }}-writer{{ end }}
{{- end -}}

{{- define "kube-placement.tlsSecret" -}}
{{ .Values.admissionWebhooks.tlsSecret | default (printf "%s-tls" (include "kube-placement.fullname" .)) }}
{{- end -}}

{{- define "kube-placement.servicePort" -}}
{{ .Values.service.port | default (ternary 443 80 .Values.admissionWebhooks.enabled) }}
{{- end -}}

{{- define "kube-placement.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "kube-placement.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "kube-placement.container" -}}
image: {{ include "kube-placement.image" . }}
{{- with .Values.image.pullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
securityContext:
  {{- include "kube-placement.securityContext" . | nindent 2 }}
{{- end -}}

{{- define "kube-placement.pod" -}}
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- include "kube-placement.podSecurityContext" . | nindent 2 }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{/* Variables with the URL of the service's role. */}}
{{- define "kube-placement.serviceDatabase" -}}
{{- with .Values.database }}
{{- if .cloudNativePG.enabled }}
# Kubernetes puts variables in only if they come before their use.
- name: SERVICE_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ .cloudNativePG.serviceRoleSecret }}
      key: password
- name: DATABASE_URL
  value: {{ include "kube-placement.cloudNativePGUrl" (dict "of" .cloudNativePG "role" .cloudNativePG.serviceRole "password" "SERVICE_PASSWORD") }}
{{- else }}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      {{- toYaml .urlSecret | nindent 6 }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Variables with the URL of the owner of the tables. */}}
{{- define "kube-placement.ownerDatabase" -}}
{{- with .Values.database }}
{{- if .cloudNativePG.enabled }}
- name: OWNER_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ .cloudNativePG.cluster }}-app
      key: password
- name: MIGRATION_DATABASE_URL
  value: {{ include "kube-placement.cloudNativePGUrl" (dict "of" .cloudNativePG "role" .cloudNativePG.owner "password" "OWNER_PASSWORD") }}
{{- else }}
- name: MIGRATION_DATABASE_URL
  valueFrom:
    secretKeyRef:
      {{- toYaml .ownerUrlSecret | nindent 6 }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "kube-placement.cloudNativePGUrl" -}}
postgres://{{ .role }}:$({{ .password }})@{{ .of.cluster }}-rw:5432/{{ .of.database }}?sslmode=verify-full&sslrootcert=/etc/kube-placement/postgres/ca.crt
{{- end -}}

{{- define "kube-placement.postgresCaMount" -}}
- name: postgres-ca
  mountPath: /etc/kube-placement/postgres
  readOnly: true
{{- end -}}

{{- define "kube-placement.postgresCaVolume" -}}
- name: postgres-ca
  secret:
    secretName: {{ .Values.database.cloudNativePG.cluster }}-ca
    # Not the key of the authority.
    items:
      - { key: ca.crt, path: ca.crt }
{{- end -}}

{{- define "kube-placement.dnsEgress" -}}
- to:
    - namespaceSelector:
        matchLabels:
          kubernetes.io/metadata.name: kube-system
      podSelector:
        matchLabels:
          k8s-app: kube-dns
  ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
{{- end -}}

{{- define "kube-placement.databaseEgress" -}}
- to:
    {{- if .Values.database.cloudNativePG.enabled }}
    - podSelector:
        matchLabels:
          cnpg.io/cluster: {{ .Values.database.cloudNativePG.cluster }}
    {{- else }}
    {{- include "kube-placement.cidrs" .Values.networkPolicy.databaseCidrs | nindent 4 }}
    {{- end }}
  ports:
    - { port: {{ ternary 5432 .Values.networkPolicy.databasePort .Values.database.cloudNativePG.enabled }}, protocol: TCP }
{{- end -}}

{{- define "kube-placement.cidrs" -}}
{{- range $index, $cidr := . }}
{{- if $index }}
{{ end -}}
- ipBlock:
    cidr: {{ $cidr | quote }}
{{- end }}
{{- end -}}

{{/* What the schema of values cannot say clearly. */}}
{{- define "kube-placement.check" -}}
{{- if and .Values.writeTaints.enabled (not .Values.followOwnCluster.enabled) }}
{{- fail "writeTaints.enabled needs followOwnCluster.enabled: the service reads the nodes whose taints it writes" }}
{{- end }}
{{- with .Values.admissionWebhooks }}
{{- if and .enabled (not .certManager.enabled) (or (not .caBundle) (not .tlsSecret)) }}
{{- fail "admissionWebhooks.enabled without certManager.enabled needs caBundle and tlsSecret" }}
{{- end }}
{{- end }}
{{- if and (not .Values.auth.fileSecret) (not (hasKey .Values.settings "OIDC_ISSUER")) (not (hasKey .Values.settings "AUTHENTICATION")) }}
{{- fail "auth.fileSecret is empty: set settings.OIDC_ISSUER and settings.OIDC_AUDIENCE, or settings.AUTHENTICATION to 'off'" }}
{{- end }}
{{- end -}}
