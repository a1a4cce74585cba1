import type { Caller } from '../../domain/access/caller.ts'
import type { School } from '../../domain/schools/school.ts'
import { LruCache } from '../../foundation/cache/lru-cache.ts'
import type { ToolEndpoint } from '../../foundation/protocol/resource-names.ts'
import { MEMBER_TOOLS } from './member/member-tools.ts'
import { OPERATOR_TOOLS } from './operator/operator-tools.ts'
import { PUBLIC_TOOLS } from './public/public-tools.ts'
import { SIGN_IN } from './sign-in.ts'
import type { Tool } from './tool.ts'
import type { WireTool } from './wire-tool.ts'

/**
 * In the order in which they are listed, the same for all callers. The first one needs neither a token
 * nor an argument, because people who test a connection call the first one.
 */
const TOOLS: readonly Tool[] = [...PUBLIC_TOOLS, SIGN_IN, ...MEMBER_TOOLS, ...OPERATOR_TOOLS]

const byName = new Map(TOOLS.map((tool) => [tool.name, tool]))

export function findTool(name: string, school: School): Tool | undefined {
  const tool = byName.get(name)
  return tool?.existsAt(school) ? tool : undefined
}

const MAX_LISTS = 500

/** What callers may use; nothing else is shown. Kept by the three things that a list depends on. */
export class ToolLists {
  readonly #lists = new LruCache<readonly WireTool[]>(MAX_LISTS)

  for(caller: Caller | undefined, school: School, endpoint: ToolEndpoint): readonly WireTool[] {
    const key = `${endpoint} ${school.variant} ${caller === undefined ? 'anonymous' : `: ${caller.scopes}`}`
    const known = this.#lists.get(key)
    if (known !== undefined) return known
    const list = TOOLS.filter((tool) => tool.existsAt(school)).flatMap(
      (tool) => tool.wireFor(caller, endpoint) ?? [],
    )
    this.#lists.set(key, list, 1)
    return list
  }
}
