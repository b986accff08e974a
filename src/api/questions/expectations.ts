import { CheckExpectations } from '../../app/expectations/check-expectations.js';
import { givenExpectations } from '../../app/expectations/given-expectations.js';
import { ListTurns } from '../../app/expectations/list-turns.js';
import { ReadStanding } from '../../app/expectations/read-standing.js';
import { StoreExpectations } from '../../app/expectations/store-expectations.js';
import * as expectations from '../../contract/expectations/questions.js';
import type { JsonValue } from '../../core/json/json-value.js';
import { errorsOfDocument } from './check-errors.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

const DOCUMENT_ERRORS = { documentErrors: errorsOfDocument((file: JsonValue) => givenExpectations(file, '')) };

export const EXPECTATION_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(expectations.checkExpectations, CheckExpectations, DOCUMENT_ERRORS),
  answeredBy(expectations.readExpectations, StoreExpectations, {
    ask: (store, request, context) => store.read(request, context),
  }),
  answeredBy(expectations.putExpectations, StoreExpectations, DOCUMENT_ERRORS),
  answeredBy(expectations.deleteExpectations, StoreExpectations, {
    ask: (store, request, context) => store.delete(request, context),
  }),
  answeredBy(expectations.readStanding, ReadStanding),
  answeredBy(expectations.listTurns, ListTurns),
];
