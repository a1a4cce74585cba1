// Describes the results of the conformance suite, and the failures that were not expected.

const count = (checks, status) => checks.filter((check) => check.status === status).length

/** Checks that did not pass, in the format of the baseline; warnings too. */
function troubled({ checks }) {
  return Object.entries(checks).flatMap(([scenario, all]) =>
    all
      .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
      .map(({ id }) => `${scenario}:${id}`),
  )
}

function problemsOf({ revision, tools, metadata }, excused) {
  const ran = Object.keys(tools.checks).length > 0 && Object.keys(metadata.checks).length > 0
  if (!ran) return [`${revision}: the suite ran no scenario.`]
  const unexpected = [
    ...troubled(tools).filter((name) => !excused.has(name)),
    ...troubled(metadata),
  ].map((name) => `${revision}: ${name} was not expected.`)
  if (unexpected.length === 0 && !(tools.passed && metadata.passed)) {
    return [`${revision}: the suite reports an error; its output is above.`]
  }
  return unexpected
}

/** An expected failure that no longer happens must be removed from the list. */
function staleOf(runs, excused) {
  const seen = new Set(runs.flatMap(({ tools }) => troubled(tools)))
  return [...excused]
    .filter((name) => !seen.has(name))
    .map((name) => `${name} is an expected failure, but did not happen: remove it.`)
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** The result of a scenario in one revision; undefined if the revision does not have it. */
function outcomeOf(checks) {
  if (checks === undefined) return ''
  const excused = count(checks, 'FAILURE') + count(checks, 'WARNING')
  const parts = [`${count(checks, 'SUCCESS')} passed`, excused > 0 ? `${excused} excused` : '']
  return parts.filter((part) => part !== '').join(', ')
}

const allChecks = ({ tools, metadata }) => ({ ...tools.checks, ...metadata.checks })

function scenarioRows(runs) {
  const scenarios = new Set(runs.flatMap((run) => Object.keys(allChecks(run))))
  return [...scenarios]
    .toSorted()
    .map((name) => [`\`${name}\``, ...runs.map((run) => outcomeOf(allChecks(run)[name]))])
}

function overview(run) {
  const scenarios = Object.values(allChecks(run))
  const statuses = ['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED']
  return [run.revision, scenarios.length, ...statuses.map((one) => count(scenarios.flat(), one))]
}

/**
 * @param {{ suiteVersion: string, expected: { feature: string, reason: string, checks: string[]
 * }[], runs: object[] }} found
 * @returns {{ markdown: string, problems: string[] }}
 */
export function describeConformance({ suiteVersion, expected, runs }) {
  const excused = new Set(expected.flatMap(({ checks }) => checks))
  const problems = [...runs.flatMap((run) => problemsOf(run, excused)), ...staleOf(runs, excused)]
  const markdown = `<!-- Written by npm run conformance:mcp. Do not edit by hand. -->

# The protocol's own conformance suite at \`/mcp\`

\`@modelcontextprotocol/conformance\` ${suiteVersion}, all its server scenarios and its check of the authorization
server's metadata, against the tool endpoint of a demo school, as an anonymous caller, in every revision that
the endpoint supports. \`npm run conformance:mcp\` repeats it, and fails on any other failure.

Every failure and every warning belongs to a feature that this server does not declare. The suite has hardly any
scenario for 2025-03-26. Its scenario of the code grant is omitted, because it sends no scope, which is required
here; the tests in \`test/flows\` run the code grant with four client libraries.

${table(
  [
    'Revision',
    'Scenarios',
    'Checks passed',
    'failed as expected',
    'warned as expected',
    'not applicable',
  ],
  runs.map(overview),
)}

## What is excused, and why

${table(
  ['Feature', 'Why', 'Checks'],
  expected.map(({ feature, reason, checks }) => [
    feature,
    reason,
    checks.map((name) => `\`${name}\``).join('<br>'),
  ]),
)}

## Every scenario

${table(['Scenario', ...runs.map(({ revision }) => revision)], scenarioRows(runs))}
`
  return { markdown, problems }
}
