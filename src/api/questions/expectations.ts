import { CheckExpectations } from '../../app/expectations/check-expectations.js';
import { ListTurns } from '../../app/expectations/list-turns.js';
import { ReadStanding } from '../../app/expectations/read-standing.js';
import { StoreExpectations } from '../../app/expectations/store-expectations.js';
import * as expectations from '../../contract/expectations/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

export const EXPECTATION_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(expectations.checkExpectations, CheckExpectations),
  answeredBy(expectations.readExpectations, StoreExpectations, {
    ask: (store, request, context) => store.read(request, context),
  }),
  answeredBy(expectations.putExpectations, StoreExpectations),
  answeredBy(expectations.deleteExpectations, StoreExpectations, {
    ask: (store, request, context) => store.delete(request, context),
  }),
  answeredBy(expectations.readStanding, ReadStanding),
  answeredBy(expectations.listTurns, ListTurns),
];
