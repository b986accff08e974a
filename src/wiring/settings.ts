import { ChangeSetting } from '../app/settings/change-setting.js';
import { HeadForUpdate } from '../app/taint-changes/head-for-update.js';
import { SettingsStore } from '../storage/settings-store.js';
import { made } from './made.js';

export const SETTINGS = [made(ChangeSetting, HeadForUpdate, SettingsStore)];
