import { isLoopback } from '../../../foundation/protocol/redirect-uri.ts'
import { type InputProblem, OperationRefused } from '../../operation/refusal.ts'
import {
  nameProblems,
  problem,
  scopeProblems,
  uriProblems,
} from '../applications/application-details.ts'
import { MAX_CLIENT_NAME_LENGTH } from '../metadata/client-metadata.ts'
import { UNREVIEWED_SCOPES } from '../scope-catalogue.ts'

/** An MCP client asks for all of them, and is refused if the tool lacks one. */
export const DEFAULT_TOOL_SCOPES: readonly string[] = UNREVIEWED_SCOPES.toArray()

export interface ToolDetails {
  readonly name: string
  readonly redirect_uris: string[]
  readonly scopes: string[]
}

export interface GivenTool {
  readonly slug?: string | undefined
  readonly name?: string | undefined
  readonly redirect_uris?: readonly string[] | undefined
  readonly scopes?: readonly string[] | undefined
}

const SLUG = /^[a-z0-9][a-z0-9-]{1,58}[a-z0-9]$/
/** The admin area has a page of this name beside the pages of the tools. */
const RESERVED = 'new'

/** Refuses wrong details with a sentence for each; a detail that is not given is not judged. */
export function checkTool({ slug, name, redirect_uris, scopes }: GivenTool): void {
  const problems = [
    ...(slug === undefined ? [] : slugProblems(slug)),
    ...(name === undefined ? [] : toolNameProblems(name)),
    ...(redirect_uris === undefined ? [] : loopbackProblems(redirect_uris)),
    ...(scopes === undefined ? [] : scopeProblems(scopes, 'operator')),
  ]
  if (problems.length > 0) throw new OperationRefused({ kind: 'invalid', problems })
}

function slugProblems(slug: string): readonly InputProblem[] {
  if (!SLUG.test(slug)) {
    return [
      problem(
        'slug',
        'Use 3 to 60 small letters, digits and hyphens, with a letter or digit at both ends.',
      ),
    ]
  }
  return slug === RESERVED ? [problem('slug', `${RESERVED} is reserved. Choose another.`)] : []
}

/** The name stands in a document that other servers read, so it keeps to their limit. */
function toolNameProblems(name: string): readonly InputProblem[] {
  const problems = nameProblems(name)
  if (problems.length > 0) return problems
  return name.trim().length > MAX_CLIENT_NAME_LENGTH
    ? [problem('name', `Use at most ${MAX_CLIENT_NAME_LENGTH} characters.`)]
    : []
}

/** Anyone who runs the tool gets its codes, so they go only to the computer of the person who started it. */
function loopbackProblems(uris: readonly string[]): readonly InputProblem[] {
  const elsewhere = uris.filter((uri) => !isLoopback(uri))
  if (elsewhere.length === 0) return uriProblems(uris, false)
  return elsewhere.map((uri) =>
    problem(
      'redirect_uris',
      `${uri.slice(0, 200)}: Use an address on the person's own computer, such as http://127.0.0.1/callback (any port).`,
    ),
  )
}
