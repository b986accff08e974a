import { Link } from '@tanstack/react-router';

export function NotFound() {
  return (
    <section className="panel">
      <h1>This page does not exist</h1>
      <p>
        <Link to="/">Go to the fleet</Link>
      </p>
    </section>
  );
}
