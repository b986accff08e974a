import { GetCluster } from '../app/clusters/get-cluster.js';
import { CheckExpectations } from '../app/expectations/check-expectations.js';
import { ExpectationEvaluator } from '../app/expectations/expectation-evaluator.js';
import { ListTurns } from '../app/expectations/list-turns.js';
import { ReadStanding } from '../app/expectations/read-standing.js';
import { StoreExpectations } from '../app/expectations/store-expectations.js';
import { ReadState } from '../app/reads/read-state.js';
import { ChangeSetting } from '../app/settings/change-setting.js';
import { ExpectationStore } from '../storage/expectation-store.js';
import { made } from './made.js';

export const EXPECTATIONS = [
  made(ExpectationEvaluator),
  made(CheckExpectations, ReadState, ExpectationEvaluator),
  made(StoreExpectations, ChangeSetting, ReadState),
  made(ReadStanding, ReadState, ExpectationEvaluator, ExpectationStore),
  made(ListTurns, ExpectationStore, GetCluster),
];
