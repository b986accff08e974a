import type { Container, ContainerPort } from '../objects/pod.js';
import { described, list, object } from './containers.js';
import { resourceRequirements } from './metadata.js';
import { boolean, int32, int64, intOrString, string } from './scalars.js';
import { required } from './schema.js';
import { objectFieldSelector, resourceFieldSelector } from './volume.js';

/** `v1.ConfigMapKeySelector`. */
const configMapKeySelector = described({
  key: string,
  name: string,
  optional: boolean,
});

/** `v1.FileKeySelector`. */
const fileKeySelector = described({
  key: string,
  optional: boolean,
  path: string,
  volumeName: string,
});

/** `v1.SecretKeySelector`. */
const secretKeySelector = described({
  key: string,
  name: string,
  optional: boolean,
});

/** `v1.EnvVarSource`. */
const envVarSource = described({
  configMapKeyRef: configMapKeySelector,
  fieldRef: objectFieldSelector,
  fileKeyRef: fileKeySelector,
  resourceFieldRef: resourceFieldSelector,
  secretKeyRef: secretKeySelector,
});

/** `v1.EnvVar`. */
const envVar = described({
  name: string,
  value: string,
  valueFrom: envVarSource,
});

/** `v1.ConfigMapEnvSource`. */
const configMapEnvSource = described({
  name: string,
  optional: boolean,
});

/** `v1.SecretEnvSource`. */
const secretEnvSource = described({
  name: string,
  optional: boolean,
});

/** `v1.EnvFromSource`. */
const envFromSource = described({
  configMapRef: configMapEnvSource,
  prefix: string,
  secretRef: secretEnvSource,
});

/** `v1.ExecAction`. */
const execAction = described({
  command: list(string),
});

/** `v1.HTTPHeader`. */
const httpHeader = described({
  name: string,
  value: string,
});

/** `v1.HTTPGetAction`. */
const httpGetAction = described({
  host: string,
  httpHeaders: list(httpHeader),
  path: string,
  port: intOrString,
  scheme: string,
});

/** `v1.SleepAction`. */
const sleepAction = described({
  seconds: int64,
});

/** `v1.TCPSocketAction`. */
const tcpSocketAction = described({
  host: string,
  port: intOrString,
});

/** `v1.LifecycleHandler`. */
const lifecycleHandler = described({
  exec: execAction,
  httpGet: httpGetAction,
  sleep: sleepAction,
  tcpSocket: tcpSocketAction,
});

/** `v1.Lifecycle`. */
const lifecycle = described({
  postStart: lifecycleHandler,
  preStop: lifecycleHandler,
  stopSignal: string,
});

/** `v1.GRPCAction`. */
const grpcAction = described({
  port: int32,
  service: string,
});

/** `v1.Probe`. */
const probe = described({
  exec: execAction,
  failureThreshold: int32,
  grpc: grpcAction,
  httpGet: httpGetAction,
  initialDelaySeconds: int32,
  periodSeconds: int32,
  successThreshold: int32,
  tcpSocket: tcpSocketAction,
  terminationGracePeriodSeconds: int64,
  timeoutSeconds: int32,
});

/** `v1.ContainerPort`. */
const containerPort = object<ContainerPort>({
  containerPort: required(int32),
  hostIP: string,
  hostPort: int32,
  name: string,
  protocol: string,
});

/** `v1.ContainerResizePolicy`. */
const containerResizePolicy = object<NonNullable<Container['resizePolicy']>[number]>({
  resourceName: required(string),
  restartPolicy: required(string),
});

/** `v1.ContainerRestartRuleOnExitCodes`. */
const containerRestartRuleOnExitCodes = described({
  operator: string,
  values: list(int32),
});

/** `v1.ContainerRestartRule`. */
const containerRestartRule = object<NonNullable<Container['restartPolicyRules']>[number]>(
  {
    action: required(string),
  },
  {
    exitCodes: containerRestartRuleOnExitCodes,
  },
);

/** `v1.AppArmorProfile`. */
export const appArmorProfile = described({
  localhostProfile: string,
  type: string,
});

/** `v1.Capabilities`. */
const capabilities = described({
  add: list(string),
  drop: list(string),
});

/** `v1.SELinuxOptions`. */
export const seLinuxOptions = described({
  level: string,
  role: string,
  type: string,
  user: string,
});

/** `v1.SeccompProfile`. */
export const seccompProfile = described({
  localhostProfile: string,
  type: string,
});

/** `v1.WindowsSecurityContextOptions`. */
export const windowsSecurityContextOptions = described({
  gmsaCredentialSpec: string,
  gmsaCredentialSpecName: string,
  hostProcess: boolean,
  runAsUserName: string,
});

/** `v1.SecurityContext`. */
const securityContext = described({
  allowPrivilegeEscalation: boolean,
  appArmorProfile,
  capabilities,
  privileged: boolean,
  procMount: string,
  readOnlyRootFilesystem: boolean,
  runAsGroup: int64,
  runAsNonRoot: boolean,
  runAsUser: int64,
  seLinuxOptions,
  seccompProfile,
  windowsOptions: windowsSecurityContextOptions,
});

/** `v1.VolumeDevice`. */
const volumeDevice = described({
  devicePath: string,
  name: string,
});

/** `v1.VolumeMount`. */
const volumeMount = described({
  mountPath: string,
  mountPropagation: string,
  name: string,
  readOnly: boolean,
  recursiveReadOnly: string,
  subPath: string,
  subPathExpr: string,
});

/** `v1.Container`. */
export const container = object<Container>(
  {
    image: string,
    name: required(string),
    ports: list(containerPort),
    resizePolicy: list(containerResizePolicy),
    resources: resourceRequirements,
    restartPolicy: string,
    restartPolicyRules: list(containerRestartRule),
  },
  {
    args: list(string),
    command: list(string),
    env: list(envVar),
    envFrom: list(envFromSource),
    imagePullPolicy: string,
    lifecycle,
    livenessProbe: probe,
    readinessProbe: probe,
    securityContext,
    startupProbe: probe,
    stdin: boolean,
    stdinOnce: boolean,
    terminationMessagePath: string,
    terminationMessagePolicy: string,
    tty: boolean,
    volumeDevices: list(volumeDevice),
    volumeMounts: list(volumeMount),
    workingDir: string,
  },
);

/** `v1.EphemeralContainer`. */
export const ephemeralContainer = described({
  args: list(string),
  command: list(string),
  env: list(envVar),
  envFrom: list(envFromSource),
  image: string,
  imagePullPolicy: string,
  lifecycle,
  livenessProbe: probe,
  name: string,
  ports: list(containerPort),
  readinessProbe: probe,
  resizePolicy: list(containerResizePolicy),
  resources: resourceRequirements,
  restartPolicy: string,
  restartPolicyRules: list(containerRestartRule),
  securityContext,
  startupProbe: probe,
  stdin: boolean,
  stdinOnce: boolean,
  targetContainerName: string,
  terminationMessagePath: string,
  terminationMessagePolicy: string,
  tty: boolean,
  volumeDevices: list(volumeDevice),
  volumeMounts: list(volumeMount),
  workingDir: string,
});
