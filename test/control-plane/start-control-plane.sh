#!/bin/bash
# start-control-plane.sh DIR: a Kubernetes control plane (etcd, kube-apiserver, kube-controller-manager,
# kube-scheduler; no kubelet) on 127.0.0.1. Returns when /readyz is ok and scheduler and controller manager are healthy.
# Leaves in DIR: kubeconfig (token admin, group system:masters), kubeconfig-cert (client certificate, the same),
# env (shell variables: URL, token, ports), pids/NAME, logs/NAME.log, pki/.
# Environment, all optional:
#   KUBEBUILDER_ASSETS           the folder with the binaries etcd, kube-apiserver, kube-controller-manager, kube-scheduler (as envtest has it)
#   PORTS="e p a c s"            etcd client, etcd peer, apiserver, controller-manager, scheduler (default: free ones)
#   APISERVER_ARGS, KCM_ARGS, SCHEDULER_ARGS, ETCD_ARGS   more flags (split at blanks)
#   ENABLE_ADMISSION             --enable-admission-plugins=… (beside the default ones)
#   DISABLE_ADMISSION            --disable-admission-plugins=…
#   ADMISSION_CONFIG_FILE        --admission-control-config-file=…
#   AUDIT_WEBHOOK_URL            send audit events there (http://… or https://…; AUDIT_WEBHOOK_CA: its CA file)
#   AUDIT_WEBHOOK_MODE           batch (default), blocking or blocking-strict
#   AUDIT_POLICY_FILE            default: RequestResponse for writes, none for reads, no RequestReceived stage
#   AUDIT_LOG=1                  audit events to DIR/logs/audit.log too
#   SCHEDULER_CONFIG_FILE        a KubeSchedulerConfiguration without clientConnection (it is put in)
#   FEATURE_GATES, RUNTIME_CONFIG    for all components / for the apiserver (e.g. resource.k8s.io/v1beta2=true)
#   NODE_GRACE=50s               node lifecycle: after how long without a lease renewal a node is Unknown (24h: never)
#   NO_KCM=1, NO_SCHEDULER=1     leave that one out
set -euo pipefail
D=$(mkdir -p "${1:?start-control-plane.sh DIR}" && cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
B=${KUBEBUILDER_ASSETS:?the folder with the binaries}
t0=$(date +%s%N)
[[ ! -f $D/pids/kube-apiserver ]] || ! kill -0 "$(cat "$D/pids/kube-apiserver")" 2>/dev/null || { echo "already running in $D" >&2; exit 1; }
mkdir -p "$D"/{pki,logs,pids}
read -r PE PP PA PC PS < <(if [[ -n ${PORTS:-} ]]; then echo "$PORTS"; else node "$here/../../scripts/free-ports.mjs" 5; fi)
URL=https://127.0.0.1:$PA

cd "$D/pki"
if [[ ! -f ca.crt ]]; then
  ossl() { openssl "$@" 2>>"$D/logs/openssl.log"; }
  key() { ossl ecparam -name prime256v1 -genkey -noout -out "$1"; }
  key ca.key
  ossl req -x509 -new -key ca.key -sha256 -days 3650 -subj /CN=test-ca -out ca.crt \
    -addext keyUsage=critical,keyCertSign,cRLSign,digitalSignature
  sign() { # name subject extensions
    key "$1.key"
    ossl req -new -key "$1.key" -subj "$2" -out "$1.csr"
    ossl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 3650 -sha256 -extfile <(printf '%s\n' "$3") -out "$1.crt"
    rm "$1.csr"
  }
  sign apiserver /CN=kube-apiserver $'extendedKeyUsage=serverAuth\nsubjectAltName=DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,IP:127.0.0.1,IP:10.0.0.1'
  sign admin /O=system:masters/CN=admin extendedKeyUsage=clientAuth
  sign front-proxy /CN=front-proxy-client extendedKeyUsage=clientAuth
  key sa.key
  ossl ec -in sa.key -pubout -out sa.pub
  tok() { openssl rand -hex 16; }
  TA=$(tok) TC=$(tok) TS=$(tok)
  (umask 077; cat >tokens.csv <<E
$TA,admin,admin,"system:masters"
$TC,system:kube-controller-manager,kcm
$TS,system:kube-scheduler,scheduler
E
  )
fi
TA=$(sed -n 1p tokens.csv | cut -d, -f1) TC=$(sed -n 2p tokens.csv | cut -d, -f1) TS=$(sed -n 3p tokens.csv | cut -d, -f1)
cd "$D"
kc() { # file user-lines
  (umask 077; cat >"$1" <<E
apiVersion: v1
kind: Config
clusters:
- name: test
  cluster: {server: "$URL", certificate-authority-data: "$(base64 -w0 pki/ca.crt)"}
users:
- name: user
  user: {$2}
contexts:
- name: test
  context: {cluster: test, user: user}
current-context: test
E
  )
}
kc kubeconfig "token: \"$TA\""
kc kubeconfig-cert "client-certificate-data: \"$(base64 -w0 pki/admin.crt)\", client-key-data: \"$(base64 -w0 pki/admin.key)\""
kc kcm.kubeconfig "token: \"$TC\""
kc scheduler.kubeconfig "token: \"$TS\""
cat >env <<E
export KUBECONFIG=$D/kubeconfig APISERVER_URL=$URL APISERVER_TOKEN=$TA APISERVER_CA=$D/pki/ca.crt ETCD_URL=http://127.0.0.1:$PE KCM_PORT=$PC SCHEDULER_PORT=$PS
E

run() { # name args...
  local n=$1; shift
  setsid "$B/$n" "$@" >"logs/$n.log" 2>&1 </dev/null &
  echo $! >"pids/$n"
}
alive() { kill -0 "$(cat "pids/$1")" 2>/dev/null || { echo "$1 ended:" >&2; tail -5 "logs/$1.log" >&2; "$here/stop-control-plane.sh" "$D"; exit 1; }; }
wait_for() { # name url [curl args]
  local n=$1 u=$2; shift 2
  for _ in $(seq 1200); do
    curl -sf -o /dev/null --noproxy '*' --max-time 2 "$@" "$u" && return
    alive "$n"; sleep 0.05
  done
  echo "$n is not ready after a minute; see $D/logs/$n.log" >&2; exit 1
}

run etcd --data-dir "$D/etcd" --listen-client-urls "http://127.0.0.1:$PE" --advertise-client-urls "http://127.0.0.1:$PE" --listen-peer-urls "http://127.0.0.1:$PP" --unsafe-no-fsync ${ETCD_ARGS:-}

A=(--etcd-servers="http://127.0.0.1:$PE" --bind-address=127.0.0.1 --advertise-address=127.0.0.1 --secure-port="$PA"
  --endpoint-reconciler-type=none
  --tls-cert-file=pki/apiserver.crt --tls-private-key-file=pki/apiserver.key --client-ca-file=pki/ca.crt
  --token-auth-file=pki/tokens.csv --authorization-mode=Node,RBAC --allow-privileged=true
  --service-account-issuer=https://kubernetes.default.svc.cluster.local --service-account-key-file=pki/sa.pub
  --service-account-signing-key-file=pki/sa.key --service-cluster-ip-range=10.0.0.0/16
  --requestheader-client-ca-file=pki/ca.crt --requestheader-allowed-names=front-proxy-client
  --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group
  --requestheader-extra-headers-prefix=X-Remote-Extra- --proxy-client-cert-file=pki/front-proxy.crt --proxy-client-key-file=pki/front-proxy.key)
[[ -z ${ENABLE_ADMISSION:-} ]] || A+=(--enable-admission-plugins="$ENABLE_ADMISSION")
[[ -z ${DISABLE_ADMISSION:-} ]] || A+=(--disable-admission-plugins="$DISABLE_ADMISSION")
[[ -z ${ADMISSION_CONFIG_FILE:-} ]] || A+=(--admission-control-config-file="$ADMISSION_CONFIG_FILE")
[[ -z ${RUNTIME_CONFIG:-} ]] || A+=(--runtime-config="$RUNTIME_CONFIG")
if [[ -n ${AUDIT_WEBHOOK_URL:-}${AUDIT_LOG:-} ]]; then
  [[ -n ${AUDIT_POLICY_FILE:-} ]] || cat >audit-policy.yaml <<'E'
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: None, verbs: [get, list, watch]}
- {level: RequestResponse}
E
  A+=(--audit-policy-file="${AUDIT_POLICY_FILE:-audit-policy.yaml}")
  [[ -z ${AUDIT_LOG:-} ]] || A+=(--audit-log-path=logs/audit.log)
  if [[ -n ${AUDIT_WEBHOOK_URL:-} ]]; then
    ca=; [[ -z ${AUDIT_WEBHOOK_CA:-} ]] || ca=", certificate-authority-data: \"$(base64 -w0 "$AUDIT_WEBHOOK_CA")\""
    cat >audit-webhook.kubeconfig <<E
apiVersion: v1
kind: Config
clusters: [{name: w, cluster: {server: "$AUDIT_WEBHOOK_URL"$ca}}]
users: [{name: u, user: {}}]
contexts: [{name: w, context: {cluster: w, user: u}}]
current-context: w
E
    A+=(--audit-webhook-config-file=audit-webhook.kubeconfig --audit-webhook-mode="${AUDIT_WEBHOOK_MODE:-batch}"
      --audit-webhook-initial-backoff=1s)
    [[ ${AUDIT_WEBHOOK_MODE:-batch} != batch ]] || A+=(--audit-webhook-batch-max-wait=500ms --audit-webhook-batch-throttle-qps=200 --audit-webhook-batch-throttle-burst=400)
  fi
fi
FG=(); [[ -z ${FEATURE_GATES:-} ]] || FG=(--feature-gates="$FEATURE_GATES")
run kube-apiserver "${A[@]}" "${FG[@]}" ${APISERVER_ARGS:-}

wait_for kube-apiserver "$URL/readyz" --cacert pki/ca.crt
t1=$(date +%s%N)
if [[ -z ${NO_KCM:-} ]]; then
  run kube-controller-manager --kubeconfig=kcm.kubeconfig --authentication-kubeconfig=kcm.kubeconfig --authorization-kubeconfig=kcm.kubeconfig \
    --bind-address=127.0.0.1 --secure-port="$PC" --leader-elect=false --use-service-account-credentials=true \
    --service-account-private-key-file=pki/sa.key --root-ca-file=pki/ca.crt \
    --cluster-signing-cert-file=pki/ca.crt --cluster-signing-key-file=pki/ca.key \
    --kube-api-qps=500 --kube-api-burst=1000 --node-monitor-grace-period="${NODE_GRACE:-50s}" \
    --cert-dir="$D/pki/kcm" --authorization-always-allow-paths=/healthz,/readyz,/livez,/metrics "${FG[@]}" ${KCM_ARGS:-}
fi
if [[ -z ${NO_SCHEDULER:-} ]]; then
  S=(--kubeconfig=scheduler.kubeconfig --leader-elect=false --kube-api-qps=500 --kube-api-burst=1000)
  if [[ -n ${SCHEDULER_CONFIG_FILE:-} ]]; then
    { cat "$SCHEDULER_CONFIG_FILE"; printf '\nclientConnection: {kubeconfig: %s/scheduler.kubeconfig, qps: 500, burst: 1000}\nleaderElection: {leaderElect: false}\n' "$D"; } >scheduler.yaml
    S=(--config=scheduler.yaml)
  fi
  run kube-scheduler "${S[@]}" --authentication-kubeconfig=scheduler.kubeconfig --authorization-kubeconfig=scheduler.kubeconfig \
    --bind-address=127.0.0.1 --secure-port="$PS" --cert-dir="$D/pki/scheduler" --authorization-always-allow-paths=/healthz,/readyz,/livez,/metrics \
    "${FG[@]}" ${SCHEDULER_ARGS:-}
fi
[[ -n ${NO_KCM:-} ]] || wait_for kube-controller-manager "https://127.0.0.1:$PC/healthz" -k
[[ -n ${NO_SCHEDULER:-} ]] || wait_for kube-scheduler "https://127.0.0.1:$PS/readyz" -k
# the namespace default can take pods once its service account is there
if [[ -z ${NO_KCM:-} ]]; then
  wait_for kube-controller-manager "$URL/api/v1/namespaces/default/serviceaccounts/default" --cacert pki/ca.crt -H "Authorization: Bearer $TA"
fi
t2=$(date +%s%N)
echo "ready: $URL (apiserver after $(((t1 - t0) / 1000000)) ms, all after $(((t2 - t0) / 1000000)) ms); kubeconfig $D/kubeconfig"
