import { DownloadCase } from '../../app/agreement/download-case.js';
import { ListDisagreements } from '../../app/agreement/list-disagreements.js';
import { ReadAgreement } from '../../app/agreement/read-agreement.js';
import * as agreement from '../../contract/agreement/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

export const AGREEMENT_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(agreement.readAgreement, ReadAgreement),
  answeredBy(agreement.listDisagreements, ListDisagreements),
  answeredBy(agreement.downloadCase, DownloadCase),
];
