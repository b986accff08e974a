import { defined } from '../../core/collections/defined.js';
import { InputType } from '@nestjs/graphql';
import type { JsonObject } from '../../core/json/json-value.js';
import {
  CGROUP_DRIVERS,
  CGROUP_VERSIONS,
  type CgroupDriver,
  type CgroupVersion,
} from '../../app/resources/cgroup-view.js';
import type { PodResourcesRequest } from '../../app/resources/explain-pod-resources.js';
import type { GivenKubelet } from '../../app/resources/resources-request.js';
import type { AdmissionMode } from '../../app/placements/placement-request.js';
import { ADMISSION } from './admission-mode.js';
import {
  POD_SUBJECT,
  subjectFaults,
  subjectOf,
  type FeatureGatesBody,
  type PodReferenceBody,
  type WorkloadReferenceBody,
} from './pod-subject.js';
import { wordsType } from './property-type.js';
import { Given, type PropertyOptions } from './property.js';

export const CGROUP_DRIVER = wordsType('CgroupDriver', "The kubelet's `cgroupDriver`.", CGROUP_DRIVERS);
export const CGROUP_VERSION = wordsType('CgroupVersion', "The node's version of cgroups.", CGROUP_VERSIONS);
const RESERVATION = wordsType('MemoryReservationPolicy', "The kubelet's `memoryReservationPolicy`.", [
  'None',
  'TieredReservation',
]);

const OPTIONS = {
  node: {
    type: 'string',
    optional: true,
    description: "Show the amounts as shares of this node, as kubectl's table does; of the pod's own unless told.",
    example: 'node-1',
  },
  cgroupDriver: {
    type: CGROUP_DRIVER,
    optional: true,
    description: 'Which path is told; both unless told.',
    example: 'systemd',
  },
  cgroupVersion: {
    type: CGROUP_VERSION,
    optional: true,
    description: 'Which files are told; both unless told.',
    example: 'v2',
  },
  cpuCFSQuota: {
    type: 'boolean',
    optional: true,
    defaultsTo: true,
    description: "The kubelet's `cpuCFSQuota`: whether it enforces cpu limits.",
    example: true,
  },
  cpuCFSQuotaPeriod: {
    type: 'integer',
    optional: true,
    minimum: 1000,
    maximum: 1_000_000,
    defaultsTo: 100_000,
    description: "The kubelet's `cpuCFSQuotaPeriod`, in microseconds.",
    example: 100_000,
  },
  memoryQoS: {
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'The feature gate MemoryQoS, on a node with cgroup v2.',
    example: false,
  },
  memoryReservationPolicy: {
    type: RESERVATION,
    optional: true,
    defaultsTo: 'None',
    description: "The kubelet's `memoryReservationPolicy`, which counts with MemoryQoS.",
    example: 'None',
  },
} as const satisfies Readonly<Record<string, PropertyOptions>>;

/** What the Kubernetes API does not tell of a node and its kubelet; a question's own classes extend it. */
@InputType({ isAbstract: true })
export class ResourcesOptions {
  @Given(OPTIONS.node)
  node?: string;

  @Given(OPTIONS.cgroupDriver)
  cgroupDriver?: CgroupDriver;

  @Given(OPTIONS.cgroupVersion)
  cgroupVersion?: CgroupVersion;

  @Given(OPTIONS.cpuCFSQuota)
  cpuCFSQuota?: boolean;

  @Given(OPTIONS.cpuCFSQuotaPeriod)
  cpuCFSQuotaPeriod?: number;

  @Given(OPTIONS.memoryQoS)
  memoryQoS?: boolean;

  @Given(OPTIONS.memoryReservationPolicy)
  memoryReservationPolicy?: 'None' | 'TieredReservation';
}

/** Which pod, and on what a kubelet. */
@InputType('PodResourcesInput')
export class PodResourcesQuestionBody extends ResourcesOptions {
  static furtherFaults = subjectFaults;

  @Given(POD_SUBJECT.pod)
  pod?: JsonObject;

  @Given(POD_SUBJECT.workload)
  workload?: JsonObject;

  @Given(POD_SUBJECT.podRef)
  podRef?: PodReferenceBody;

  @Given(POD_SUBJECT.workloadRef)
  workloadRef?: WorkloadReferenceBody;

  @Given(POD_SUBJECT.featureGates)
  featureGates?: FeatureGatesBody;

  @Given(ADMISSION)
  admission?: AdmissionMode;
}

type Question = Omit<PodResourcesRequest, 'cluster' | 'readAt'>;

/** @param query what the address says of admission, where the body says nothing */
export function resourcesQuestionOf(
  body: PodResourcesQuestionBody,
  query: { readonly admission?: AdmissionMode } = {},
): Question {
  return { ...subjectOf(body, query), ...resourcesOptionsOf(body) };
}

export function resourcesOptionsOf({ node, ...given }: ResourcesOptions): Pick<Question, 'node' | 'kubelet'> {
  const { cgroupDriver, cgroupVersion, cpuCFSQuota, cpuCFSQuotaPeriod, memoryQoS, memoryReservationPolicy } = given;
  const kubelet: GivenKubelet = {
    ...defined({ cgroupDriver, cgroupVersion, cpuCFSQuota, cpuCFSQuotaPeriod, memoryQoS, memoryReservationPolicy }),
  };
  return { kubelet, ...defined({ node }) };
}
