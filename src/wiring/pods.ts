import { GetCluster } from '../app/clusters/get-cluster.js';
import { EvaluatePlacement } from '../app/placements/evaluate-placement.js';
import { GetPod } from '../app/pods/get-pod.js';
import { ListPodsAllowed } from '../app/pods/list-pods-allowed.js';
import { ListPods } from '../app/pods/list-pods.js';
import { ListTolerationSets } from '../app/pods/list-toleration-sets.js';
import { PlacedHistory, RankPlacedPod } from '../app/pods/rank-placed-pod.js';
import { ReadState } from '../app/reads/read-state.js';
import { DiffRevisions } from '../app/snapshots/diff-revisions.js';
import { DerivedStateCache } from '../app/states/derived-state-cache.js';
import { Database } from '../storage/database.js';
import { PodPlacements } from '../storage/pod-placements.js';
import { made } from './made.js';

export const PODS = [
  made(ListPods, ReadState),
  made(GetPod, ReadState),
  made(PodPlacements, Database),
  made(PlacedHistory, GetCluster, DiffRevisions, PodPlacements),
  made(RankPlacedPod, ReadState, EvaluatePlacement, PlacedHistory),
  made(ListTolerationSets, ReadState, DerivedStateCache),
  made(ListPodsAllowed, ReadState, DerivedStateCache),
];
