import { type ConformanceModule, conformancePlans } from './conformance-modules.ts'
import { type Deviation, deviations } from './deviations.ts'
import { commandOf, type Verification } from './read-verifications.ts'
import { type Rfc9700Row, rfc9700 } from './rfc9700.ts'

/** `docs/conformance.md`: each repeated module of the OpenID suite, with tests or deviation. */
export function printConformance(verifications: readonly Verification[]): string {
  const plans: readonly { plan: string; modules: readonly ConformanceModule[] }[] = conformancePlans
  const used = plans.flatMap(({ modules }) => modules.flatMap(({ adaptation }) => adaptation ?? []))
  return page(
    '# OpenID conformance modules, repeated by our tests',
    "The modules of the OpenID Foundation's conformance suite (v5.2.3) that fit this service, each " +
      'repeated by a test of ours with its name. This is our own work, not a certification. ' +
      'The tests send what this service requires of every client; if a module expects something that we ' +
      'do not do, the row says what happens instead.',
    ...deviationSection(used),
    ...plans.flatMap(({ plan, modules }) => [
      `## ${plan}`,
      table(
        ['Module', 'What it checks', 'Run with', 'Proven by'],
        modules.map(({ name, asserts, adaptation, deviation }) => [
          `\`${name}\``,
          asserts,
          (adaptation ?? []).map((id) => deviations[id].label).join('; '),
          proof(name, verifications, deviation),
        ]),
      ),
    ]),
  )
}

/** `docs/rfc9700.md`: each recommendation of the BCP, with its tests or our deviation. */
export function printRfc9700(verifications: readonly Verification[]): string {
  const rows: readonly Rfc9700Row[] = rfc9700
  return page(
    '# RFC 9700, row by row',
    'The recommendations of RFC 9700 (BCP 240, best current practice for OAuth 2.0 security) that ' +
      'concern an authorization server for the code flow with PKCE, and the tests that prove them here.',
    ...deviationSection(rows.flatMap(({ deviation }) => deviation ?? [])),
    '## The recommendations',
    table(
      ['§', 'Level', 'What it recommends', 'Proven by'],
      rows.map(({ id, section, level, asserts, deviation }) => [
        section,
        level,
        asserts,
        proof(id, verifications, deviation && deviations[deviation].label),
      ]),
    ),
  )
}

function deviationSection(used: readonly Deviation[]): string[] {
  const rows = Object.entries(deviations)
    .filter(([id]) => used.some((other) => other === id))
    .map(([, { label, why }]) => [label, why])
  return ['## Where we deviate, and why', table(['Deviation', 'Why'], rows)]
}

function proof(
  id: string,
  verifications: readonly Verification[],
  deviation: string | undefined,
): string {
  const tests = verifications
    .filter(({ ids }) => ids.includes(id))
    .map(({ file, title }) => {
      const command = commandOf(file)
      const where = command === 'npm test' ? '' : ` (\`${command}\`)`
      return `[${file}](../${file})${where}: ${title}`
    })
  const stated = deviation === undefined ? [] : [`**Deviates:** ${deviation}`]
  return [...stated, ...tests].join('<br>') || 'not yet'
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function page(...parts: readonly string[]): string {
  const note =
    '<!-- Written from test/spec and the names of the tests. Do not edit by hand: ' +
    'UPDATE_DOCS=1 npx vitest run test/spec -->'
  return `${[note, ...parts].join('\n\n')}\n`
}
