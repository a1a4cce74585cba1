import { redirectUriProblems } from '../../foundation/protocol/registrable-redirect-uri.ts'
import { SCOPES_OF_AUDIENCE } from './scope-catalogue.ts'

export interface ApplicationDetails {
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly scopes: readonly string[]
}

export interface DetailProblem {
  readonly field: 'clientId' | 'name' | 'redirectUris' | 'scopes'
  readonly problem: string
}

const MAX_REDIRECT_URIS = 50
/** Never a URL, which would name a client metadata document. */
const CLIENT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{2,99}$/
const CONTROL = /[\x00-\x1f\x7f]/

/** Says in words what is wrong with an application's details; what is absent is not judged. */
export function detailProblems(
  details: Partial<ApplicationDetails> & { readonly clientId?: string | undefined },
  { confidential }: { readonly confidential: boolean },
): readonly DetailProblem[] {
  const { clientId, name, redirectUris, scopes } = details
  return [
    ...(clientId === undefined || CLIENT_ID.test(clientId)
      ? []
      : [problem('clientId', 'Use 3 to 100 letters, digits, dots, hyphens and underscores.')]),
    ...(name === undefined ? [] : nameProblems(name)),
    ...(redirectUris === undefined ? [] : uriProblems(redirectUris, confidential)),
    ...(scopes === undefined ? [] : scopeProblems(scopes)),
  ]
}

const problem = (field: DetailProblem['field'], text: string): DetailProblem => ({
  field,
  problem: text,
})

function nameProblems(name: string): readonly DetailProblem[] {
  if (name.trim() === '' || name.length > 200) return [problem('name', 'Use 1 to 200 characters.')]
  return CONTROL.test(name) ? [problem('name', 'Remove line breaks and control characters.')] : []
}

function uriProblems(uris: readonly string[], confidential: boolean): readonly DetailProblem[] {
  if (uris.length === 0 || uris.length > MAX_REDIRECT_URIS) {
    return [problem('redirectUris', `List 1 to ${MAX_REDIRECT_URIS} redirect URIs.`)]
  }
  return uris.flatMap((uri) =>
    redirectUriProblems(uri, { confidential }).map((text) =>
      problem('redirectUris', `${uri.slice(0, 200)}: ${text}`),
    ),
  )
}

/** An application made by hand acts for members; operator scopes are for platforms and documents. */
function scopeProblems(scopes: readonly string[]): readonly DetailProblem[] {
  const allowed = SCOPES_OF_AUDIENCE.member
  if (scopes.length === 0) {
    return [problem('scopes', `Choose at least one of ${allowed.toArray().join(', ')}.`)]
  }
  return scopes
    .filter((scope) => !allowed.has(scope))
    .map((scope) =>
      problem(
        'scopes',
        `${scope.slice(0, 100)} is not for member applications. Choose from ${allowed.toArray().join(', ')}.`,
      ),
    )
}
