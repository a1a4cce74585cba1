import {
  changeApplication,
  createApplication,
} from '../../../../domain/clients/application-operations.ts'
import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import {
  meaningOf,
  SCOPES,
  SCOPES_OF_AUDIENCE,
} from '../../../../domain/clients/scope-catalogue.ts'
import type { School } from '../../../../domain/schools/school.ts'
import { signsIdTokens } from '../../../../domain/schools/signing.ts'
import type { Choice, FormField, InputName } from '../crud/field.ts'
import { type PlannedField, planForm } from '../crud/field-rules.ts'
import type { Row } from '../crud/row.ts'

type ApplicationField = FormField<InputName<typeof createApplication>>

const ABOUT: readonly ApplicationField[] = [
  {
    name: 'name',
    label: 'Name',
    needed: true,
    hint: 'People see it when they are asked for consent.',
  },
  {
    name: 'redirect_uris',
    label: 'Redirect URIs',
    kind: 'lines',
    rows: 4,
    hint: 'One per line: https; or the own scheme of an app on a phone or computer, which is a domain that you own backwards, such as com.example.app:/callback (myapp:// is refused, because any other app can claim it); or an address on the person’s own computer, such as http://127.0.0.1/callback. Must match exactly; only on the person’s own computer the port may differ.',
  },
]

/** Without ID tokens there is no end_session_endpoint. */
const AFTER_SIGN_OUT: ApplicationField = {
  name: 'post_logout_redirect_uris',
  label: 'Redirect URIs after sign-out',
  kind: 'lines',
  rows: 2,
  hint: 'Optional, one per line. Where the app may send people after it signed them out here. Must match exactly, the port too.',
}

const LINKS: readonly ApplicationField[] = [
  {
    name: 'website_url',
    label: 'Website',
    hint: 'Where people can read about the app; the consent page links to it.',
  },
  {
    name: 'privacy_url',
    label: 'Privacy notice',
    hint: 'What the app does with data; the consent page links to it.',
  },
]

const CONFIDENTIAL: ApplicationField = {
  name: 'confidential',
  label: 'Confidential application',
  hint: 'For an app that runs on a server and can keep a secret. It gets a secret and must send it. Leave this off for apps on phones, computers and in browsers. You cannot change it later.',
}

function fieldsAt(school: School): readonly ApplicationField[] {
  const offered = SCOPES.filter(({ name }) => SCOPES_OF_AUDIENCE.member.has(name))
  const choices = offered.map((scope): Choice => [scope.name, meaningOf(scope, school.variant)])
  return [
    ...ABOUT,
    ...(signsIdTokens(school) ? [AFTER_SIGN_OUT] : []),
    ...LINKS,
    { name: 'scopes', label: 'Scopes', kind: 'scopes', choices },
    CONFIDENTIAL,
  ]
}

/** The form of a new application. */
export function newApplicationFields(school: School): readonly PlannedField[] {
  return planForm(createApplication, fieldsAt(school))
}

/** The form of an application that exists. */
export function applicationFields(school: School): readonly PlannedField[] {
  return planForm(changeApplication, fieldsAt(school), createApplication)
}

/** What the form of an application begins with. */
export function applicationRow(client: ListedClient): Row {
  return {
    name: client.name,
    redirect_uris: client.redirectUris,
    post_logout_redirect_uris: client.postLogoutRedirectUris,
    website_url: client.websiteUrl ?? null,
    privacy_url: client.privacyUrl ?? null,
    scopes: client.scopes,
  }
}
