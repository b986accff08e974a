import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { Moment } from '../api/moment.js';
import { focusHeading } from '../shell/focus-heading.js';
import { Failure } from '../ui/failure.js';
import { count, counted } from '../ui/format.js';
import { TaintText } from '../ui/taint.js';
import { useSlow } from '../ui/use-slow.js';
import { destinationOf, momentFor, viewsNamed, type Destination } from './destinations.js';
import { found, type SearchHit, type SearchKind } from './search-query.js';
import './search.css';

const QUIET_MS = 120;
const SLOW_MS = 400;
const TITLES: Readonly<Record<SearchKind, string>> = {
  cluster: 'Clusters',
  node: 'Nodes',
  workload: 'Workloads',
  namespace: 'Namespaces',
  taint: 'Taints',
  pod: 'Pods',
};

interface Choice extends Destination {
  readonly key: string;
  readonly shown: ReactNode;
  readonly detail: ReactNode;
}

interface ChoiceGroup {
  readonly title: string;
  readonly more: number;
  readonly choices: readonly Choice[];
}

/** Searches by name, and goes to what is chosen. A combobox with a listbox (ARIA 1.2): the focus stays in the field. */
export default function SearchDialog({
  cluster,
  moment,
  onClose,
}: {
  readonly cluster: string | undefined;
  readonly moment: Moment;
  readonly onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const asked = useQuiet(text, QUIET_MS);
  const [active, setActive] = useState(0);
  const answer = useQuery(found(asked.trim(), cluster, moment));
  const isSettled = asked === text && !answer.isFetching;
  const isSlow = useSlow(text.trim() !== '' && !isSettled, SLOW_MS);
  useEffect(() => dialog.current?.showModal(), []);

  const isAsked = text.trim() !== '';
  const data = isAsked && asked.trim() !== '' ? answer.data : undefined;
  const groups: readonly ChoiceGroup[] = [
    ...(data?.groups ?? []).map(({ kind, total, hits }) => ({
      title: TITLES[kind],
      more: total - hits.length,
      choices: hits.map((hit) => choiceOf(kind, hit, asked, cluster)),
    })),
    {
      title: 'Views',
      more: 0,
      choices: viewsNamed(text, cluster).map((view) => ({
        ...view,
        key: `view ${view.view}`,
        shown: view.title,
        detail: view.cluster === undefined ? null : <bdi>{view.cluster}</bdi>,
      })),
    },
  ].filter(({ choices }) => choices.length > 0);
  const choices = groups.flatMap((group) => group.choices);
  const current = choices[Math.min(active, choices.length - 1)];
  const optionId = (choice: Choice): string => `${id}${choices.indexOf(choice)}`;
  useEffect(() => {
    if (current !== undefined) document.getElementById(optionId(current))?.scrollIntoView({ block: 'nearest' });
  });

  const go = ({ cluster: to, view, search }: Destination): void => {
    dialog.current?.close();
    const there = { ...momentFor(to, cluster, moment), ...search };
    const going =
      to === undefined
        ? navigate({ to: '/' })
        : navigate({ to: '/clusters/$cluster/$view', params: { cluster: to, view }, search: there });
    void going.then(focusHeading);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault();
      // What the list shows must be about what was typed.
      if (current !== undefined && (isSettled || current.key.startsWith('view'))) go(current);
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && choices.length > 0) {
      event.preventDefault();
      const from = Math.min(active, choices.length - 1);
      setActive((from + (event.key === 'ArrowDown' ? 1 : choices.length - 1)) % choices.length);
    }
  };
  const total = (data?.groups ?? []).reduce((sum, group) => sum + group.total, 0);
  return (
    <dialog
      ref={dialog}
      className="search"
      aria-label="Search"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current.close();
      }}
    >
      <div className="search-field">
        <input
          autoFocus
          type="text"
          role="combobox"
          aria-label="Search by name"
          aria-autocomplete="list"
          aria-expanded={choices.length > 0}
          aria-controls={`${id}list`}
          aria-activedescendant={current === undefined ? undefined : optionId(current)}
          placeholder="Clusters, nodes, workloads, namespaces, taints, pods, views"
          autoComplete="off"
          spellCheck={false}
          maxLength={253}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
      {answer.error !== null && isAsked && <Failure error={answer.error} />}
      <div role="listbox" id={`${id}list`} aria-label="What was found" className="search-list" tabIndex={-1}>
        {groups.map(({ title, more, choices: ofGroup }) => (
          <div key={title} role="group" aria-label={title}>
            <div className="search-title" aria-hidden="true">
              {title}
              {more > 0 && <span> · {count(more)} more</span>}
            </div>
            {ofGroup.map((choice) => (
              <div
                key={choice.key}
                id={optionId(choice)}
                role="option"
                aria-selected={choice === current}
                className="search-option"
                onMouseDown={(event) => event.preventDefault()}
                onMouseMove={() => setActive(choices.indexOf(choice))}
                onClick={() => go(choice)}
              >
                <span className="search-name">{choice.shown}</span>
                <span className="search-detail">{choice.detail}</span>
              </div>
            ))}
          </div>
        ))}
      </div>
      <div className="search-foot">
        <span role="status">
          {isSlow
            ? 'Searching…'
            : isAsked && isSettled && data !== undefined
              ? `${counted(total, 'hit')} in ${counted(data.searched, 'cluster')}` +
                (data.unsearched > 0 ? `; of ${count(data.unsearched)} more only the names were searched` : '')
              : ''}
        </span>
        <span className="search-keys" aria-hidden="true">
          <kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Enter</kbd> open <kbd>Esc</kbd> close
        </span>
      </div>
    </dialog>
  );
}

function choiceOf(kind: SearchKind, hit: SearchHit, text: string, cluster: string | undefined): Choice {
  const { namespace, name, workloadKind, taint, node, phase, ready, unschedulable, nodes, pods } = hit;
  const facts: readonly ReactNode[] = [
    kind === 'node' && ready === false && 'not ready',
    kind === 'node' && unschedulable === true && 'cordoned',
    workloadKind,
    phase,
    node !== null && (
      <>
        on <bdi>{node}</bdi>
      </>
    ),
    kind === 'pod' && node === null && 'no node',
    nodes !== null && counted(nodes, 'node'),
    pods !== null && counted(pods, 'pod'),
    kind !== 'cluster' && hit.cluster !== cluster && <bdi>{hit.cluster}</bdi>,
  ].filter((fact) => fact !== null && fact !== false);
  return {
    ...destinationOf(kind, hit),
    key: JSON.stringify([kind, hit.cluster, namespace, workloadKind, name, taint?.text]),
    shown:
      taint === null ? (
        <bdi>
          {namespace !== null && <span className="quiet">{namespace}/</span>}
          <Marked name={name} text={text} />
        </bdi>
      ) : (
        <TaintText taint={taint} />
      ),
    detail: facts.map((fact, at) => (
      <span key={at}>
        {at > 0 && ' · '}
        {fact}
      </span>
    )),
  };
}

/** A name in which the first word that it has is marked. */
function Marked({ name, text }: { readonly name: string; readonly text: string }) {
  const lower = name.toLowerCase();
  const words = text
    .toLowerCase()
    .split(/[\s/]+/)
    .filter(Boolean);
  const word = words.find((one) => lower.includes(one));
  if (word === undefined || lower.length !== name.length) return name;
  const at = lower.indexOf(word);
  return (
    <>
      {name.slice(0, at)}
      <mark>{name.slice(at, at + word.length)}</mark>
      {name.slice(at + word.length)}
    </>
  );
}

/** A text once nobody has typed for a while. */
function useQuiet(text: string, ms: number): string {
  const [quiet, setQuiet] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setQuiet(text), ms);
    return () => window.clearTimeout(timer);
  }, [text, ms]);
  return quiet;
}
