import { ScheduleReader } from '../app/evictions/schedule-reader.js';
import { ReadState } from '../app/reads/read-state.js';
import { ChangeSetting } from '../app/settings/change-setting.js';
import { DeclareKubernetesVersion } from '../app/versions/declare-kubernetes-version.js';
import { ReadKubernetesVersion } from '../app/versions/read-kubernetes-version.js';
import { ReviewUpgrade } from '../app/versions/review-upgrade.js';
import { DerivedStateCache } from '../app/states/derived-state-cache.js';
import { made } from './made.js';

export const VERSIONS = [
  made(ReadKubernetesVersion, ReadState),
  made(DeclareKubernetesVersion, ChangeSetting),
  made(ReviewUpgrade, ReadState, ScheduleReader, DerivedStateCache),
];
