import type { AnswerTo, Question } from '../../contract/question.js';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import type { RequestContext } from '../../app/request-context.js';
import type { FieldSelection } from './sparse-fields.js';
import { crossFieldErrors } from './object-classes.js';
import type { WrittenBody } from '../http/written-body.js';
import type { FurtherErrors, Rejected } from '../envelope/read-envelope.js';
import type { RequestOf } from '../../app/request-of.js';
import { traced } from '../../tracing/tracing.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any use case, whatever it requires
export type UseCaseClass<UseCase extends object = object> = abstract new (...dependencies: any[]) => UseCase;

/** A result whose HTTP status does not follow from its members. */
export class AnswerWithStatus<Answer> {
  constructor(
    readonly answer: Answer,
    readonly status: number,
  ) {}
}

type MayHaveStatus<Answer> = Answer | AnswerWithStatus<Answer>;

/** A response format other than JSON, selected with `format` or `Accept`. */
export interface OtherFormat<Of extends Question, UseCase> {
  readonly mediaType: string;
  /** `charset=utf-8` by default. */
  readonly mediaTypeParameters?: string;
  /** Selected by `Accept` only; `format` does not list it. */
  readonly byAcceptAlone?: boolean;
  /** For the OpenAPI document. */
  readonly example?: unknown;
  /** The name that browsers save the file under; none by default. */
  readonly fileName?: (request: RequestOf<Of>) => string;
  readonly write: (
    useCase: UseCase,
    request: RequestOf<Of>,
    context: RequestContext,
    options: FormatOptions,
  ) => Promise<string | AsyncIterable<string>>;
}

/** The request's formatting options. */
export interface FormatOptions {
  /** The members selected with `fields`; all by default. */
  readonly selection?: FieldSelection | undefined;
  /** True if neither `limit` nor `continue` was given. */
  readonly isWhole?: boolean;
  /** Receives the continue token of the next page. */
  readonly continueWith?: (token: string) => void;
}

interface RestOptions<Of extends Question, UseCase> {
  /** Further errors in a body that is already rejected; invalid members may have any type. */
  readonly crossFieldErrors?: (body: never, rejected: Rejected) => FurtherErrors;
  /** The same for a body that is one whole document (`whole`), with places in it. */
  readonly documentErrors?: (document: never) => FurtherErrors;
  /** The errors of the path's variables, in REST, for a request that is already rejected. */
  readonly pathErrors?: (variables: Readonly<Record<string, string>>) => readonly ErrorDetail[];
  /** The status of a success; by default the question's only one. */
  readonly status?: (answer: AnswerTo<Of>) => number;
  /** The path of the created object below the API prefix; none by default. */
  readonly location?: (answer: AnswerTo<Of>, request: RequestOf<Of>) => string | undefined;
  /** A faster serializer that produces the same JSON. */
  readonly write?: (response: never) => Buffer;
  /** By the value of the `format` query parameter; `json` always exists. */
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
    options: AskOptions,
  ) => Promise<MayHaveStatus<AnswerTo<Of>> | WrittenBody> | AnswerTo<Of>;
}

export interface AskOptions {
  /** Whether the answer may be a `WrittenBody`: nothing reads its members. */
  readonly mayBeWritten: boolean;
}

/** Any question with any use case; their types were checked where the pair was made. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
export type AnyAnswered = Answered<any, any>;

interface Runs<Of extends Question> {
  run(request: RequestOf<Of>, context: RequestContext): Promise<AnswerTo<Of>> | AnswerTo<Of>;
}

/** Pairs a question with the use case that answers it: by its `run` method, or by `options.ask`. */
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
    crossFieldErrors(body.type, options.crossFieldErrors as () => FurtherErrors);
  }
  return { question, useCase, ask: run, ...options };
}

/** Runs the use case. The status is absent if the result carries it. */
export async function askUseCase(
  answered: AnyAnswered,
  useCase: object,
  request: object,
  context: RequestContext,
  options: AskOptions = { mayBeWritten: false },
): Promise<{ readonly answer: unknown; readonly status?: number }> {
  const { id } = answered.question as Question;
  const ask = async (): Promise<unknown> => {
    const answer: unknown = await answered.ask(useCase, request as RequestOf<Question>, context, options);
    return answer;
  };
  const answer = await traced(id, ask, {
    attributes: () => ('cluster' in request ? { 'kube_placement.cluster': String(request.cluster) } : {}),
  });
  return answer instanceof AnswerWithStatus ? answer : { answer };
}
