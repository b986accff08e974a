import type {
  Container,
  ContainerPort,
  ContainerSecurity,
  HandlerHosts,
  LifecycleHosts,
  Profile,
  SELinuxSetters,
  WindowsHostProcess,
} from '../objects/pod.js';
import { described, list, object, sparse } from './containers.js';
import { resourceRequirements } from './metadata.js';
import { boolean, int32, int64, intOrString, since, string } from './scalars.js';
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
  fileKeyRef: since(34, fileKeySelector),
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
const httpGetAction = sparse<NonNullable<HandlerHosts['httpGet']>>(
  { host: string },
  {
    httpHeaders: list(httpHeader),
    path: string,
    port: intOrString,
    scheme: string,
  },
);

/** `v1.SleepAction`. */
const sleepAction = described({
  seconds: int64,
});

/** `v1.TCPSocketAction`. */
const tcpSocketAction = sparse<NonNullable<HandlerHosts['tcpSocket']>>({ host: string }, { port: intOrString });

/** `v1.LifecycleHandler`. */
const lifecycleHandler = sparse<HandlerHosts>(
  {
    httpGet: httpGetAction,
    tcpSocket: tcpSocketAction,
  },
  {
    exec: execAction,
    sleep: sleepAction,
  },
);

/** `v1.Lifecycle`. */
const lifecycle = sparse<LifecycleHosts>(
  {
    postStart: lifecycleHandler,
    preStop: lifecycleHandler,
  },
  {
    stopSignal: since(33, string),
  },
);

/** `v1.GRPCAction`. */
const grpcAction = described({
  port: int32,
  service: string,
});

/** `v1.Probe`. */
const probe = sparse<HandlerHosts>(
  {
    httpGet: httpGetAction,
    tcpSocket: tcpSocketAction,
  },
  {
    exec: execAction,
    failureThreshold: int32,
    grpc: grpcAction,
    initialDelaySeconds: int32,
    periodSeconds: int32,
    successThreshold: int32,
    terminationGracePeriodSeconds: int64,
    timeoutSeconds: int32,
  },
);

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
export const appArmorProfile = object<Profile>({
  localhostProfile: string,
  type: string,
});

/** `v1.Capabilities`. */
const capabilities = sparse<NonNullable<ContainerSecurity['capabilities']>>({
  add: list(string),
  drop: list(string),
});

/** `v1.SELinuxOptions`. */
export const seLinuxOptions = sparse<SELinuxSetters>(
  {
    role: string,
    type: string,
    user: string,
  },
  {
    level: string,
  },
);

/** `v1.SeccompProfile`. */
export const seccompProfile = object<Profile>({
  localhostProfile: string,
  type: string,
});

/** `v1.WindowsSecurityContextOptions`. */
export const windowsSecurityContextOptions = sparse<WindowsHostProcess>(
  {
    hostProcess: boolean,
  },
  {
    gmsaCredentialSpec: string,
    gmsaCredentialSpecName: string,
    runAsUserName: string,
  },
);

/** `v1.SecurityContext`. */
const securityContext = sparse<ContainerSecurity>(
  {
    allowPrivilegeEscalation: boolean,
    appArmorProfile,
    capabilities,
    privileged: boolean,
    procMount: string,
    runAsNonRoot: boolean,
    runAsUser: int64,
    seLinuxOptions,
    seccompProfile,
    windowsOptions: windowsSecurityContextOptions,
  },
  {
    readOnlyRootFilesystem: boolean,
    runAsGroup: int64,
  },
);

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
    lifecycle,
    livenessProbe: probe,
    name: required(string),
    ports: list(containerPort),
    readinessProbe: probe,
    resizePolicy: list(containerResizePolicy),
    resources: resourceRequirements,
    restartPolicy: string,
    restartPolicyRules: since(34, list(containerRestartRule)),
    securityContext,
    startupProbe: probe,
  },
  {
    args: list(string),
    command: list(string),
    env: list(envVar),
    envFrom: list(envFromSource),
    imagePullPolicy: string,
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
  restartPolicyRules: since(34, list(containerRestartRule)),
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
