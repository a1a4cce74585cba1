import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createMetrics } from '../../src/foundation/http/metrics.ts'
import { addBackupMetrics } from '../../src/start/backup/scheduled-backups.ts'
import { addStateMetrics, addWorkMetrics } from '../../src/start/work-metrics.ts'
import { testDatabase } from '../support/database.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly annotations: { readonly summary: string; readonly action: string }
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const rules: Rule[] = parse(read('deploy/monitoring/alerts.yaml')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
)
const dashboard = JSON.parse(read('deploy/monitoring/dashboard.json'))
const panels: { id: number; title: string; targets: { expr: string }[] }[] = dashboard.panels

const metrics = createMetrics({
  version: '1.2.3',
  pool: () => ({ total: 1, idle: 1, waiting: 0, shared: 0 }),
})
afterAll(() => metrics.stop())
const { db } = await testDatabase()
addWorkMetrics(metrics.registry, db, true)
addStateMetrics(metrics.registry, db, async () => [])
addBackupMetrics(metrics.registry, db, { everySeconds: 1, keep: 1, folder: '' })
const described = await metrics.registry.getMetricsAsJSON()
const known = new Map(described.map(({ name, type }) => [name, String(type)]))

/** Words of the query language, and labels, which stand in braces or in `by (…)`. */
const WORDS = /^(?:sum|min|max|count|rate|by|histogram_quantile|label_values)$/

function metricsIn(expression: string): readonly string[] {
  const bare = expression
    .replaceAll(/\{[^}]*\}/g, ' ')
    .replaceAll(/\bby \([^)]*\)/g, ' ')
    .replaceAll(/\[[^\]]*\]/g, ' ')
  return [...bare.matchAll(/[a-z_]{2,}/g)].map(([name]) => name).filter((name) => !WORDS.test(name))
}

function unknown(expression: string): readonly string[] {
  const names = metricsIn(expression)
  expect(names, expression).not.toEqual([])
  return names.filter((name) => {
    if (name === 'up' || known.has(name)) return false
    return known.get(name.replace(/_bucket$/, '')) !== 'histogram'
  })
}

test('every alert asks for metrics that the server has, and says what to do', () => {
  expect(rules.length).toBeGreaterThan(5)
  for (const { alert, expr, annotations, for: lasts } of rules) {
    expect(unknown(expr), alert).toEqual([])
    expect(annotations.summary, alert).toMatch(/\.$/)
    expect(annotations.action, alert).toMatch(/\.$/)
    expect(lasts).toMatch(/^\d+[mh]$/)
  }
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
})

test('a guide that an alert names has that chapter', () => {
  for (const { alert, annotations } of rules) {
    for (const [, path = '', chapter] of annotations.action.matchAll(
      /(docs\/[\w-]+\.md)(?:, "([^"]+)")?/g,
    )) {
      const text = read(path)
      if (chapter !== undefined) expect(text, alert).toMatch(new RegExp(`^#+ ${chapter}$`, 'm'))
    }
  }
})

test('every panel asks for metrics that the server has', () => {
  for (const { title, targets } of panels) {
    expect(targets.length, title).toBeGreaterThan(0)
    for (const { expr } of targets) expect(unknown(expr), title).toEqual([])
  }
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
})

test('every metric of the server is on the dashboard', () => {
  const shown = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr)))
  const asked = new Set(shown.map((name) => name.replace(/_bucket$/, '')))
  expect([...known.keys()].filter((name) => !asked.has(name))).toEqual([])
})

test('Prometheus, where it is installed, accepts the rules', () => {
  const path = fileURLToPath(new URL('../../deploy/monitoring/alerts.yaml', import.meta.url))
  const { status, error, stdout } = spawnSync('promtool', ['check', 'rules', path], {
    encoding: 'utf8',
  })
  // No Prometheus on this machine: then the command itself is missing, and nothing else is wrong.
  if (error !== undefined) expect(error).toMatchObject({ code: 'ENOENT' })
  else expect(status, stdout).toBe(0)
})
