import { Link, Outlet, useParams, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { isPast, ofEveryCluster, useMoment } from '../api/moment.js';
import { useLive } from '../api/live.js';
import { SearchButton } from '../search/search-button.js';
import { CLUSTER_VIEWS } from '../views.js';
import { focusHeading } from './focus-heading.js';
import { Account, LoginGate, useLogin } from './login.js';
import { setTheme, theme, type Theme } from './theme.js';
import { TimeBar } from './time-bar.js';

/** What surrounds every view: where one is, when, and whether what one sees is live. */
export function Shell() {
  const { cluster } = useParams({ strict: false });
  const moment = useMoment();
  const { isIn } = useLogin();
  const link = useLive(isIn && !isPast(moment) ? cluster : undefined);
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="bar">
        <Link to="/" search={{ ...ofEveryCluster(moment) }} className="brand">
          kube-placement
        </Link>
        {cluster !== undefined && (
          <>
            <span className="crumb" aria-hidden="true">
              /
            </span>
            <bdi className="crumb-name">{cluster}</bdi>
            {isIn && <LinkBadge state={isPast(moment) ? 'past' : link} />}
          </>
        )}
        <span className="spacer" />
        {isIn && <SearchButton cluster={cluster} moment={moment} />}
        <Account />
        <ThemeChoice />
      </header>
      <LoginGate>
        {cluster !== undefined && <Views cluster={cluster} />}
        {cluster !== undefined && <TimeBar cluster={cluster} />}
        <main id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </LoginGate>
      <Announcer />
    </>
  );
}

function Views({ cluster }: { readonly cluster: string }) {
  const moment = useMoment();
  return (
    <nav className="views" aria-label="Views of the cluster">
      {CLUSTER_VIEWS.map(({ path, title }) => (
        <Link
          key={path}
          to="/clusters/$cluster/$view"
          params={{ cluster, view: path }}
          search={{ ...moment }}
          activeOptions={{ includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}

const LINK_TEXT = {
  connecting: 'connecting',
  live: 'live',
  lost: 'connection lost, trying again',
  past: 'as of the past',
} as const;

function LinkBadge({ state }: { readonly state: keyof typeof LINK_TEXT }) {
  return (
    <span className="link-state" data-state={state} role="status">
      {LINK_TEXT[state]}
    </span>
  );
}

function ThemeChoice() {
  const [chosen, choose] = useState(theme);
  return (
    <label className="theme">
      <span className="sr-only">Colours</span>
      <select
        value={chosen}
        onChange={({ target }) => {
          setTheme(target.value as Theme);
          choose(target.value as Theme);
        }}
      >
        <option value="system">system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </label>
  );
}

/** What besides its path makes an address another page: what the view is about. */
const SUBJECTS: Readonly<Record<string, readonly string[]>> = { node: ['node'], changes: ['change', 'report'] };

/** Moves the focus to the heading of a new page, which screen readers then say. */
function Announcer() {
  const path = useRouterState({
    select: ({ location: { pathname, search } }) => {
      const subjects = SUBJECTS[pathname.split('/').at(-1)!] ?? [];
      return JSON.stringify([pathname, ...subjects.map((name) => search[name])]);
    },
  });
  const first = useRef(true);
  useEffect(() => {
    if (first.current) first.current = false;
    else focusHeading();
  }, [path]);
  return null;
}
