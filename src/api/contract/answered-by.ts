import type { ErrorDetail } from '../../app/errors/service-error.js';
import type { AnswerTo, Question } from '../../contract/question.js';
import type { RequestContext } from '../../app/request-context.js';
import type { FieldSelection } from './sparse-fields.js';
import { crossFieldErrors } from './object-classes.js';
import type { RequestOf } from '../../app/request-of.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any use case, whatever it needs
export type UseCaseClass<UseCase extends object = object> = abstract new (...needs: any[]) => UseCase;

/** An answer whose status its own members do not tell. */
export class AnswerWithStatus<Answer> {
  constructor(
    readonly answer: Answer,
    readonly status: number,
  ) {}
}

type MayHaveStatus<Answer> = Answer | AnswerWithStatus<Answer>;

/** A response of another media type than JSON, for those who ask for it with `format` or `Accept`. */
export interface OtherFormat<Of extends Question, UseCase> {
  readonly mediaType: string;
  /** `charset=utf-8` by default. */
  readonly mediaTypeParameters?: string;
  /** `format` does not know it: it is for those who ask with `Accept`. */
  readonly byAcceptAlone?: boolean;
  /** For the OpenAPI document. */
  readonly example?: unknown;
  /** Of the file that a browser saves; none by default. */
  readonly fileName?: (request: RequestOf<Of>) => string;
  readonly write: (
    useCase: UseCase,
    request: RequestOf<Of>,
    context: RequestContext,
    options: FormatOptions,
  ) => Promise<string | AsyncIterable<string>>;
}

/** What a request says beside its question. */
export interface FormatOptions {
  /** Of `fields`; by default everything. */
  readonly selection?: FieldSelection | undefined;
  /** Whether neither `limit` nor `continue` was given. */
  readonly isWhole?: boolean;
  /** Says where the next page begins. */
  readonly continueWith?: (token: string) => void;
}

interface RestOptions<Of extends Question, UseCase> {
  /** What else is wrong with a body that is refused already; its members may have any type. */
  readonly crossFieldErrors?: (body: never) => readonly ErrorDetail[];
  /** What else is wrong with arguments of GraphQL that are refused already; they may have any type. */
  readonly argumentErrors?: (args: never) => readonly ErrorDetail[];
  /** The status of a success; the only one of the question by default. */
  readonly status?: (answer: AnswerTo<Of>) => number;
  /** Where what was made is read, below the API's prefix; of nothing by default. */
  readonly location?: (answer: AnswerTo<Of>, request: RequestOf<Of>) => string | undefined;
  /** Writes the response faster than member by member, as the same JSON. */
  readonly write?: (response: never) => Buffer;
  /** By the value of the query's `format`; `json` is always one. */
  readonly formats?: Readonly<Record<string, OtherFormat<Of, UseCase>>>;
}

/** A question with the use case that answers it. */
export interface Answered<Of extends Question = Question, UseCase extends object = object> extends RestOptions<
  Of,
  UseCase
> {
  readonly question: Of;
  readonly useCase: UseCaseClass<UseCase>;
  readonly ask: (
    useCase: UseCase,
    request: RequestOf<Of>,
    context: RequestContext,
  ) => Promise<MayHaveStatus<AnswerTo<Of>>> | AnswerTo<Of>;
}

/** Any of them; what each takes and gives was checked where it was made. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
export type AnyAnswered = Answered<any, any>;

interface Runs<Of extends Question> {
  run(request: RequestOf<Of>, context: RequestContext): Promise<AnswerTo<Of>> | AnswerTo<Of>;
}

/** Says which use case answers a question: by its `run`, or as `options.ask` says. */
export function answeredBy<const Of extends Question, UseCase extends Runs<Of>>(
  question: Of,
  useCase: UseCaseClass<UseCase>,
  options?: RestOptions<Of, UseCase>,
): Answered<Of, UseCase>;
export function answeredBy<const Of extends Question, UseCase extends object>(
  question: Of,
  useCase: UseCaseClass<UseCase>,
  options: RestOptions<Of, UseCase> & Pick<Answered<Of, UseCase>, 'ask'>,
): Answered<Of, UseCase>;
export function answeredBy<const Of extends Question, UseCase extends object>(
  question: Of,
  useCase: UseCaseClass<UseCase>,
  options: RestOptions<Of, UseCase> & Partial<Pick<Answered<Of, UseCase>, 'ask'>> = {},
): Answered<Of, UseCase> {
  const run: Answered<Of, UseCase>['ask'] = (given, request, context) =>
    (given as unknown as Runs<Of>).run(request, context);
  const { body } = question as Question;
  if (body !== undefined && options.crossFieldErrors !== undefined) {
    crossFieldErrors(body.type, options.crossFieldErrors as () => readonly ErrorDetail[]);
  }
  return { question, useCase, ask: run, ...options };
}

/** Asks the use case. The status is absent where the answer itself tells it. */
export async function askUseCase(
  answered: AnyAnswered,
  useCase: object,
  request: object,
  context: RequestContext,
): Promise<{ readonly answer: unknown; readonly status?: number }> {
  const answer: unknown = await answered.ask(useCase, request as RequestOf<Question>, context);
  return answer instanceof AnswerWithStatus ? answer : { answer };
}
