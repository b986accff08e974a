import { object } from '../schema.js';
import { ADMISSION } from '../common/admission-mode.js';
import { GROUP_BY, WITH_TAINTS } from './capacity.js';
import { POD_SUBJECT } from '../common/pod-subject.js';
import { CONFIGURATION, TIME_BUDGET } from './queue-run.js';

/** The pod, and how its capacity is reported. */
export const capacityInput = object(
  'CapacityInput',
  'The pod whose replicas are counted, and how.',
  {
    pod: POD_SUBJECT.pod,
    workload: POD_SUBJECT.workload,
    podRef: { ...POD_SUBJECT.podRef, description: 'A stored pod, which does not count as a replica.' },
    workloadRef: POD_SUBJECT.workloadRef,
    featureGates: POD_SUBJECT.featureGates,
    fieldValidation: POD_SUBJECT.fieldValidation,
    admission: ADMISSION,
    groupBy: GROUP_BY,
    taints: WITH_TAINTS,
    configuration: CONFIGURATION,
    timeBudgetMs: TIME_BUDGET,
  },
  { openApiName: 'Capacity' },
);
