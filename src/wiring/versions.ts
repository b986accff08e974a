import { ReadState } from '../app/reads/read-state.js';
import { ChangeSetting } from '../app/settings/change-setting.js';
import { DeclareKubernetesVersion } from '../app/versions/declare-kubernetes-version.js';
import { ReadKubernetesVersion } from '../app/versions/read-kubernetes-version.js';
import { made } from './made.js';

export const VERSIONS = [made(ReadKubernetesVersion, ReadState), made(DeclareKubernetesVersion, ChangeSetting)];
