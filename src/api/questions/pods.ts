import { GetPod } from '../../app/pods/get-pod.js';
import { ListPods } from '../../app/pods/list-pods.js';
import { ListPodsAllowed } from '../../app/pods/list-pods-allowed.js';
import { ListTolerationSets } from '../../app/pods/list-toleration-sets.js';
import * as pods from '../../contract/pods/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

export const POD_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(pods.listPods, ListPods),
  answeredBy(pods.getPod, GetPod),
  answeredBy(pods.listTolerationSets, ListTolerationSets),
  answeredBy(pods.listPodsAllowedByTaints, ListPodsAllowed),
];
