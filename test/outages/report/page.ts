import { type Overload, overloadSection } from './overload.ts'
import type { Result } from './result.ts'

const HEADINGS = [
  'Scenario',
  'Requests',
  'Without verdict',
  'Confirmed writes',
  'of them lost',
  'Revoked tokens accepted',
  'Clients signed out',
  'Seconds to recover',
  'Longest wait, s',
  'Holds',
]

/** docs/reliability.md. */
export function pageOf({
  machine,
  results,
  overload,
}: {
  readonly machine: string
  readonly results: readonly Result[]
  readonly overload?: Overload | undefined
}): string {
  return `# Reliability

What happens to acknowledged writes, revoked tokens and signed-in clients when something breaks. \`npm run outages\` writes this
page: it starts real servers and databases, keeps clients at work, breaks something, and compares everything that the
servers confirmed with what they answer at the end.

Measured on ${machine}. Servers, databases and clients share the machine.

${tableOf(results)}

${results.map(paragraphOf).join('\n\n')}

${overloadSection(overload)}## How to read it

- **Traffic**: twenty sessions of two members and two applications, and two of an operator. They sign in, consent, exchange codes,
  use tokens at UserInfo and the Member API, refresh, drop the connection before the answer and refresh again, and
  revoke. Ten more sessions are idle: they must go on at the end. The operator makes courses and imports 200 at a time. The server purges every ten seconds, and \`schoolgate purge\` runs
  beside it. Two more clients try tokens that must be dead, all the time.
- **Without verdict**: 503 with \`Retry-After\`, or a connection that ended without an answer. Any other 5xx fails the scenario. A
  client repeats such a request until it has a verdict.
- **Confirmed writes**: codes, exchanges, refreshes, revocations and courses that were answered with success. One is lost if the
  token is refused later, the course is missing or the audit log has no entry.
- **Revoked tokens accepted**: any answer but 401 or 503 to an access token that was revoked, or replaced by a newer one that
  was used.
- **Clients signed out**: a refresh was refused although the client used its newest token, also after a lost answer.
- **Seconds to recover**: from the first confirmed write of a probe that goes the same way to the database, to the start of
  the last request that failed. At most 2.
- **Longest wait**: of any request, imports included.

## How to run it

\`\`\`sh
apt-get install postgresql patroni etcd-server haproxy   # Debian; their services are not used
npm run outages                                             # everything, about a quarter of an hour
npm run outages -- primary-killed switchover                # only these; their rows of this page are written anew
\`\`\`

It installs nothing and says what is missing. Everything runs in a temporary folder, on free ports of the loopback
address. \`OUTAGE_SEED\` sets the seed of the traffic, \`OUTAGE_POSTGRES_BIN\` the folder of another PostgreSQL. Settings of Patroni and
HAProxy are in [guides/postgresql.md](guides/postgresql.md#patroni).
`
}

export function tableOf(results: readonly Result[]): string {
  const rows = results.map((result) => [
    `[${result.name}](#${result.name})`,
    count(result.requests),
    failuresOf(result),
    count(result.writes),
    count(result.lost),
    count(result.revokedAccepted),
    count(result.signedOut),
    result.recovery === null ? '–' : result.recovery.toFixed(1),
    (result.longestMs / 1000).toFixed(1),
    result.problems.length === 0 ? 'yes' : '**no**',
  ])
  return [HEADINGS, HEADINGS.map((_, column) => (column === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

function paragraphOf({ name, faults, day, seconds, notes, problems }: Result): string {
  const failed = problems.map((problem) => `\n\n**Failed**: ${problem}`).join('')
  const said = notes.map((note) => ` ${sentence(note)}`).join('')
  return `### ${name}\n\n${sentence(faults)}${said} Run on ${day} in ${seconds} s.${failed}`
}

function failuresOf({ failures }: Result): string {
  const kinds = Object.entries(failures).map(([kind, times]) => `${count(times)} × ${kind}`)
  return kinds.length === 0 ? '0' : kinds.join(', ')
}

const count = (number: number): string => number.toLocaleString('en-US')

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
