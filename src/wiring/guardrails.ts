import { JudgeApplication } from '../app/guardrails/judge-application.js';
import { StoreGuardrails } from '../app/guardrails/store-guardrails.js';
import { TestGuardrails } from '../app/guardrails/test-guardrails.js';
import { ReadState } from '../app/reads/read-state.js';
import { DerivedStateCache } from '../app/states/derived-state-cache.js';
import { PlanNodes } from '../app/taint-changes/plan-nodes.js';
import { TaintChangeStore } from '../storage/taint-trail/taint-change-store.js';
import { ChangeSetting } from '../app/settings/change-setting.js';
import { made } from './made.js';

export const GUARDRAILS = [
  made(StoreGuardrails, ChangeSetting, ReadState),
  made(TestGuardrails, ReadState),
  made(JudgeApplication, PlanNodes, DerivedStateCache, TaintChangeStore),
];
