import { AskGateAcross } from '../../app/gates/ask-gate-across.js';
import { AskGate } from '../../app/gates/ask-gate.js';
import { gateErrors, type GateRequest } from '../../app/gates/gate-question.js';
import { gateJunit } from '../../app/gates/gate-junit.js';
import type { GateAnswer } from '../../app/gates/gate-names.js';
import { gateSarif } from '../../app/gates/gate-sarif.js';
import { gateText } from '../../app/gates/gate-text.js';
import { mapPage } from '../../app/paging/page-by-position.js';
import { exampleOf } from '../../contract/example-of.js';
import { gate } from '../../contract/gates/gate.js';
import * as gates from '../../contract/gates/questions.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { answeredBy, type AnyAnswered, type OtherFormat } from '../contract/answered-by.js';
import { Slices } from '../../event-loop/slices.js';
import { stepMaskedFor } from '../masking/install-masking.js';
import { errorsInValid } from './check-errors.js';
import { withPartError } from './placements.js';

type GateFormat = OtherFormat<typeof gates.askGate, AskGate>;

const EXAMPLE = exampleOf(gate) as GateAnswer;

/** Short: the schema of SARIF is not ours. */
const SARIF_EXAMPLE = { version: '2.1.0', runs: [] };

/** The answer, without values that its caller may not see, as text. */
const format = (
  mediaType: string,
  text: (answer: GateAnswer) => string,
  example: unknown = text(EXAMPLE),
): GateFormat => ({
  mediaType,
  byAcceptAlone: true,
  example,
  write: async (askGate, request, context) => {
    const answer = await askGate.run(request, context);
    const slices = new Slices();
    const masked = await slices.run(stepMaskedFor(context, answer, gate));
    if (slices.due()) await slices.pause();
    return text(masked as GateAnswer);
  },
});

const FURTHER_ERRORS = { crossFieldErrors: errorsInValid((valid: GateRequest) => gateErrors(valid)) };

/** Whether manifests may be deployed, and will run. */
export const GATE_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(gates.askGate, AskGate, {
    ...FURTHER_ERRORS,
    formats: {
      text: format('text/plain', gateText),
      sarif: format('application/sarif+json', (answer) => `${stringifyJson(gateSarif(answer))}\n`, SARIF_EXAMPLE),
      junit: format('application/junit+xml', gateJunit),
    },
  }),
  answeredBy(gates.askGateAcross, AskGateAcross, {
    ...FURTHER_ERRORS,
    ask: async (across, request, context) => ({ page: mapPage(await across.run(request, context), withPartError) }),
  }),
];
