import { findScope, meaningOf } from '../../../../domain/clients/scope-catalogue.ts'
import type { InputProblem } from '../../../../domain/operation/refusal.ts'
import type { SchoolVariant } from '../../../../domain/schools/school.ts'
import { Checkbox, Field, Problems, TextArea } from '../../../../foundation/html/form-fields.tsx'
import { InputProblems, problemsAt } from '../frame/changes-in-form.tsx'

/** An application as typed in its form. */
export interface ApplicationDraft {
  name: string
  /** One per line. */
  redirectUris: string
  /** One per line; undefined where the form has no such field, because no ID tokens are signed. */
  postLogoutRedirectUris: string | undefined
  scopes: readonly string[]
  confidential: boolean
  websiteUrl: string
  privacyUrl: string
}

export interface ApplicationFieldsProps {
  draft: ApplicationDraft
  problems: readonly InputProblem[]
  /** The scopes to choose from. */
  offered: readonly string[]
  variant: SchoolVariant
}

export const APPLICATION_FIELDS = [
  { field: 'name', label: 'Name' },
  { field: 'redirect_uris', label: 'Redirect URIs' },
  { field: 'post_logout_redirect_uris', label: 'Redirect URIs after sign-out' },
  { field: 'website_url', label: 'Website' },
  { field: 'privacy_url', label: 'Privacy notice' },
  { field: 'scopes', label: 'Scopes' },
] as const

export function ApplicationFields({ draft, problems, offered, variant }: ApplicationFieldsProps) {
  const of = (field: (typeof APPLICATION_FIELDS)[number]['field']) => problemsAt(problems, field)
  const scopeProblems = of('scopes')
  return (
    <>
      <InputProblems fields={APPLICATION_FIELDS} problems={problems} />
      <Field
        name="name"
        label="Name"
        type="text"
        autocomplete="off"
        hint="People see it when they are asked for consent."
        value={draft.name}
        error={of('name')[0]}
      />
      <TextArea
        name="redirect_uris"
        label="Redirect URIs"
        hint="One per line: https; or the own scheme of an app on a phone or computer, which is a domain that you own backwards, such as com.example.app:/callback (myapp:// is refused, because any other app can claim it); or an address on the person’s own computer, such as http://127.0.0.1/callback. Must match exactly; only on the person’s own computer the port may differ."
        value={draft.redirectUris}
        rows={4}
        problems={of('redirect_uris')}
      />
      {draft.postLogoutRedirectUris !== undefined && (
        <TextArea
          name="post_logout_redirect_uris"
          label="Redirect URIs after sign-out"
          hint="Optional, one per line. Where the app may send people after it signed them out here. Must match exactly, the port too."
          value={draft.postLogoutRedirectUris}
          rows={2}
          problems={of('post_logout_redirect_uris')}
        />
      )}
      <Field
        name="website_url"
        label="Website"
        type="text"
        autocomplete="off"
        optional
        hint="Optional. Where people can read about the app; the consent page links to it."
        value={draft.websiteUrl}
        error={of('website_url')[0]}
      />
      <Field
        name="privacy_url"
        label="Privacy notice"
        type="text"
        autocomplete="off"
        optional
        hint="Optional. What the app does with data; the consent page links to it."
        value={draft.privacyUrl}
        error={of('privacy_url')[0]}
      />
      <fieldset
        id="scopes"
        aria-describedby={scopeProblems.length === 0 ? undefined : 'scopes-error'}
      >
        <legend>Scopes</legend>
        <Problems of="scopes" problems={scopeProblems} />
        {offered.map((scope) => (
          <Checkbox
            id={`scope-${scope.replace(':', '-')}`}
            name="scopes"
            value={scope}
            label={<code>{scope}</code>}
            hint={hintOf(scope, variant)}
            checked={draft.scopes.includes(scope)}
          />
        ))}
      </fieldset>
    </>
  )
}

function hintOf(name: string, variant: SchoolVariant): string | undefined {
  const scope = findScope(name)
  return scope === undefined ? undefined : meaningOf(scope, variant)
}
