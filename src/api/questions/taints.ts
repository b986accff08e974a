import { ListTaintSets } from '../../app/taints/list-taint-sets.js';
import { ReadTaintCatalogue } from '../../app/taints/read-taint-catalogue.js';
import { TakeTaintInventories } from '../../app/taints/take-taint-inventories.js';
import { TakeTaintInventory } from '../../app/taints/take-taint-inventory.js';
import * as taints from '../../contract/taints/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

export const TAINT_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(taints.listTaintSets, ListTaintSets),
  answeredBy(taints.takeTaintInventory, TakeTaintInventory),
  answeredBy(taints.takeTaintInventories, TakeTaintInventories),
  answeredBy(taints.readTaintCatalogue, ReadTaintCatalogue),
];
