import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Answer } from '../../ui/answer.js';
import { Effects } from '../changes/effects.js';
import { AuthorsLink, Difference } from '../changes/words.js';
import { recordOf } from './queries.js';
import { Proofs, whenText, Who } from './words.js';

/** One record: what it says, and what it proves. */
export function RecordDetails({ cluster, sequence }: { readonly cluster: string; readonly sequence: number }) {
  const [isAsked, setAsked] = useState(false);
  const record = useQuery(recordOf(cluster, sequence, isAsked));
  return (
    <section className="panel" aria-labelledby="record">
      <h2 id="record">Record {sequence}</h2>
      <Answer of={record} what="the record">
        {(found) => (
          <>
            <p>
              <bdi>{found.summary}</bdi>
            </p>
            <dl className="facts">
              <dt>When</dt>
              <dd>{whenText(found.when)}</dd>
              <dt>Who</dt>
              <dd>
                <Who {...found} />
              </dd>
              {found.difference !== null && (
                <>
                  <dt>Change</dt>
                  <dd>
                    <Difference difference={found.difference} labels={found.labels} />
                  </dd>
                </>
              )}
              {found.reason !== null && (
                <>
                  <dt>Reason</dt>
                  <dd>
                    <bdi>{found.reason}</bdi> <AuthorsLink link={found.link} />
                  </dd>
                </>
              )}
              {found.change !== null && (
                <>
                  <dt>Of the change</dt>
                  <dd>
                    <Link
                      to="/clusters/$cluster/$view"
                      params={{ cluster, view: 'changes' }}
                      search={{ change: found.change }}
                      className="mono"
                    >
                      {found.change}
                    </Link>
                  </dd>
                </>
              )}
              <dt>Hash</dt>
              <dd className="mono">{found.hash}</dd>
            </dl>
            <Proofs proves={found.proves} doesNotProve={found.doesNotProve} />
            {!isAsked && (
              <button type="button" onClick={() => setAsked(true)}>
                What it did to pods
              </button>
            )}
            {isAsked && found.effects !== null && (
              <>
                <p className="quiet">
                  {found.effects.source}
                  {found.effects.why !== null && (
                    <>
                      : <bdi>{found.effects.why}</bdi>
                    </>
                  )}
                </p>
                {found.effects.effects !== null && <Effects effects={found.effects.effects} />}
              </>
            )}
            {found.canonical !== null && (
              <details>
                <summary>As it was written and hashed</summary>
                <pre className="commands" tabIndex={0}>
                  <bdi>{found.canonical}</bdi>
                </pre>
              </details>
            )}
          </>
        )}
      </Answer>
    </section>
  );
}
