import { StoreGuardrails } from '../app/guardrails/store-guardrails.js';
import { TestGuardrails } from '../app/guardrails/test-guardrails.js';
import { ReadState } from '../app/reads/read-state.js';
import { ChangeSetting } from '../app/settings/change-setting.js';
import { made } from './made.js';

export const GUARDRAILS = [made(StoreGuardrails, ChangeSetting, ReadState), made(TestGuardrails, ReadState)];
