import type { Scenario } from '../scenario.ts'
import { UsageError } from '../usage-error.ts'

/** In the order of the report. Each is loaded on demand, because a floor needs only one. */
const SCENARIOS: Readonly<Record<string, () => Promise<Scenario>>> = {
  refresh: async () => (await import('./refresh.ts')).refresh,
  'code-exchange': async () => (await import('./code-exchange.ts')).codeExchange,
  userinfo: async () => (await import('./userinfo.ts')).userinfo,
  introspection: async () => (await import('./introspection.ts')).introspection,
  revocation: async () => (await import('./revocation.ts')).revocation,
  viewer: async () => (await import('./viewer.ts')).viewer,
  syllabus: async () => (await import('./syllabus.ts')).syllabus,
  'tools-list': async () => (await import('./tools.ts')).toolsList,
  'tools-call': async () => (await import('./tools.ts')).toolsCall,
  'admin-list': async () => (await import('./admin-list.ts')).adminList,
  discovery: async () => (await import('./documents.ts')).discovery,
  'discovery-304': async () => (await import('./documents.ts')).unchangedDiscovery,
  jwks: async () => (await import('./documents.ts')).jwks,
  openapi: async () => (await import('./documents.ts')).openapi,
}

export const SCENARIO_NAMES: readonly string[] = Object.keys(SCENARIOS)

export async function loadScenario(name: string): Promise<Scenario> {
  const load = SCENARIOS[name]
  if (load !== undefined) return await load()
  throw new UsageError(`There is no scenario ${name}. Scenarios: ${SCENARIO_NAMES.join(', ')}.`)
}
