import type {
  MachineDeployment,
  MachineGroup,
  MachinePool,
  MachineSet,
  MachineTaint,
  OpenShiftMachineSet,
} from '../objects/machines.js';
import { list, object, stringMap } from './containers.js';
import { labelSelector, objectMeta, taint } from './metadata.js';
import { anything, boolean, constant, int32, string, time } from './scalars.js';
import { required } from './schema.js';

type Spec = NonNullable<MachineGroup['spec']>;
type Template = NonNullable<Spec['template']>;

/** `v1beta2.MachineTaint`. */
const machineTaint = object<MachineTaint>({
  effect: required(string),
  key: required(string),
  propagation: string,
  timeAdded: time,
  value: string,
});

/** `v1beta2.MachineSpec`, with the fields of `v1beta1`. */
const machineSpec = object<NonNullable<Template['spec']>>(
  {
    failureDomain: string,
    taints: list(machineTaint),
  },
  {
    bootstrap: anything,
    clusterName: string,
    deletion: anything,
    infrastructureRef: anything,
    minReadySeconds: int32,
    nodeDeletionTimeout: anything,
    nodeDrainTimeout: anything,
    nodeVolumeDetachTimeout: anything,
    providerID: string,
    readinessGates: anything,
    version: string,
  },
);

/** `v1beta2.ObjectMeta` of a template. */
const machineMeta = object<NonNullable<Template['metadata']>>({ labels: stringMap }, { annotations: stringMap });

/** `v1beta2.MachineTemplateSpec`. */
const machineTemplateSpec = object<Template>({ metadata: machineMeta, spec: machineSpec });

/** `v1beta2.MachineDeploymentSpec`, `v1beta2.MachineSetSpec` and `v1beta2.MachinePoolSpec`, with the fields of `v1beta1`. */
const machineGroupSpec = object<Spec>(
  {
    clusterName: string,
    failureDomains: list(string),
    paused: boolean,
    replicas: int32,
    template: machineTemplateSpec,
  },
  {
    deletePolicy: string,
    deletion: anything,
    machineNaming: anything,
    machineNamingStrategy: anything,
    minReadySeconds: int32,
    progressDeadlineSeconds: int32,
    providerIDList: anything,
    remediation: anything,
    revisionHistoryLimit: int32,
    rollout: anything,
    rolloutAfter: time,
    selector: labelSelector,
    strategy: anything,
  },
);

/** The status of a group: besides the number of machines, all of it is dropped. */
const machineGroupStatus = object<NonNullable<MachineGroup['status']>>(
  { replicas: int32 },
  {
    availableReplicas: int32,
    bootstrapReady: boolean,
    conditions: anything,
    deprecated: anything,
    failureMessage: string,
    failureReason: string,
    fullyLabeledReplicas: int32,
    infrastructureReady: boolean,
    initialization: anything,
    nodeRefs: anything,
    observedGeneration: anything,
    phase: string,
    readyReplicas: int32,
    selector: string,
    unavailableReplicas: int32,
    upToDateReplicas: int32,
    updatedReplicas: int32,
    v1beta2: anything,
  },
);

/** `v1beta2.MachineDeployment`. */
export const machineDeployment = object<MachineDeployment>({
  apiVersion: required(string),
  kind: required(constant('MachineDeployment')),
  metadata: required(objectMeta),
  spec: machineGroupSpec,
  status: machineGroupStatus,
});

/** `v1beta2.MachineSet`. */
export const machineSet = object<MachineSet>({
  apiVersion: required(string),
  kind: required(constant('MachineSet')),
  metadata: required(objectMeta),
  spec: machineGroupSpec,
  status: machineGroupStatus,
});

/** `v1beta2.MachinePool`. */
export const machinePool = object<MachinePool>({
  apiVersion: required(string),
  kind: required(constant('MachinePool')),
  metadata: required(objectMeta),
  spec: machineGroupSpec,
  status: machineGroupStatus,
});

type OpenShiftTemplate = NonNullable<NonNullable<OpenShiftMachineSet['spec']>['template']>;

/** `v1beta1.MachineSpec` of OpenShift. */
const openShiftMachineSpec = object<NonNullable<OpenShiftTemplate['spec']>>(
  { metadata: machineMeta, taints: list(taint) },
  { authoritativeAPI: string, lifecycleHooks: anything, providerID: string, providerSpec: anything },
);

/** `v1beta1.MachineTemplateSpec` of OpenShift. */
const openShiftTemplate = object<OpenShiftTemplate>({ spec: openShiftMachineSpec }, { metadata: anything });

/** `v1beta1.MachineSetSpec` of OpenShift. */
const openShiftMachineSetSpec = object<NonNullable<OpenShiftMachineSet['spec']>>(
  { replicas: int32, template: openShiftTemplate },
  { authoritativeAPI: string, deletePolicy: string, minReadySeconds: int32, selector: labelSelector },
);

/** `v1beta1.MachineSetStatus` of OpenShift. */
const openShiftMachineSetStatus = object<NonNullable<OpenShiftMachineSet['status']>>(
  { replicas: int32 },
  {
    authoritativeAPI: string,
    availableReplicas: int32,
    conditions: anything,
    errorMessage: string,
    errorReason: string,
    fullyLabeledReplicas: int32,
    observedGeneration: anything,
    readyReplicas: int32,
    synchronizedAPI: string,
    synchronizedGeneration: anything,
  },
);

/** `v1beta1.MachineSet` of OpenShift. */
export const openShiftMachineSet = object<OpenShiftMachineSet>({
  apiVersion: required(string),
  kind: required(constant('OpenShiftMachineSet')),
  metadata: required(objectMeta),
  spec: openShiftMachineSetSpec,
  status: openShiftMachineSetStatus,
});
