import { givenIn } from '../../app/guardrails/given-guardrails.js';
import { checkGuardrails, StoreGuardrails } from '../../app/guardrails/store-guardrails.js';
import { TestGuardrails } from '../../app/guardrails/test-guardrails.js';
import * as guardrails from '../../contract/guardrails/questions.js';
import type { JsonValue } from '../../core/json/json-value.js';
import { errorsOfDocument } from './check-errors.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

export const GUARDRAIL_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(guardrails.readGuardrails, StoreGuardrails, {
    ask: (store, request, context) => store.read(request, context),
  }),
  answeredBy(guardrails.putGuardrails, StoreGuardrails, { documentErrors: errorsOfDocument(checkGuardrails) }),
  answeredBy(guardrails.deleteGuardrails, StoreGuardrails, {
    ask: (store, request, context) => store.delete(request, context),
  }),
  answeredBy(guardrails.testGuardrails, TestGuardrails, {
    documentErrors: errorsOfDocument((document: JsonValue) => givenIn(document, '')),
  }),
];
