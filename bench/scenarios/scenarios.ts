import type { Scenario } from '../scenario.ts'
import { adminList } from './admin-list.ts'
import { codeExchange } from './code-exchange.ts'
import { DOCUMENTS } from './documents.ts'
import { introspection } from './introspection.ts'
import { refresh } from './refresh.ts'
import { revocation } from './revocation.ts'
import { syllabus } from './syllabus.ts'
import { TOOLS } from './tools.ts'
import { userinfo } from './userinfo.ts'
import { viewer } from './viewer.ts'

export const SCENARIOS: readonly Scenario[] = [
  refresh,
  codeExchange,
  userinfo,
  introspection,
  revocation,
  viewer,
  syllabus,
  ...TOOLS,
  adminList,
  ...DOCUMENTS,
]

export function loadScenario(name: string): Scenario {
  const found = SCENARIOS.find((scenario) => scenario.name === name)
  if (found !== undefined) return found
  throw new Error(`There is no scenario ${name}: ${SCENARIOS.map((s) => s.name).join(', ')}.`)
}
