import { DeclareAdmissionConfiguration } from '../app/admission/declare-admission-configuration.js';
import { ReadAdmissionConfiguration } from '../app/admission/read-admission-configuration.js';
import { TryAdmission } from '../app/admission/try-admission.js';
import { DryRuns } from '../app/connections/dry-runs.js';
import { ReadState } from '../app/reads/read-state.js';
import { HeadForUpdate } from '../app/taint-changes/head-for-update.js';
import { SettingsStore } from '../storage/settings-store.js';
import { made } from './made.js';

export const ADMISSION = [
  made(ReadAdmissionConfiguration, ReadState),
  made(DeclareAdmissionConfiguration, HeadForUpdate, SettingsStore, ReadState),
  made(TryAdmission, ReadState, DryRuns),
];
