import { GetPod } from '../../app/pods/get-pod.js';
import { ListPods } from '../../app/pods/list-pods.js';
import { ListPodsAllowed } from '../../app/pods/list-pods-allowed.js';
import { ListTolerationSets } from '../../app/pods/list-toleration-sets.js';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import { readTaintsAt, type GivenTaint } from '../../app/taints/given-taint.js';
import * as pods from '../../contract/pods/questions.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import { errorsInValid } from './check-errors.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

interface GivenTaints {
  readonly taints?: readonly GivenTaint[];
}

const taintErrors = ({ taints = [] }: GivenTaints): readonly ErrorDetail[] =>
  readTaintsAt(taints, FieldPath.of('taints')).details;

export const POD_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(pods.listPods, ListPods),
  answeredBy(pods.getPod, GetPod),
  answeredBy(pods.listTolerationSets, ListTolerationSets),
  answeredBy(pods.listPodsAllowedByTaints, ListPodsAllowed, { crossFieldErrors: errorsInValid(taintErrors) }),
];
