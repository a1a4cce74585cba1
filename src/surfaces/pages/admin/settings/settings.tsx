import type { FastifyInstance, FastifyReply } from 'fastify'
import { CAUSES } from '../../../../domain/notifications/causes.ts'
import { type MailDay, readMailDays } from '../../../../domain/notifications/news-mail.ts'
import type { School } from '../../../../domain/schools/school.ts'
import { changeSettings } from '../../../../domain/schools/school-operations.ts'
import { PageHead, Panel } from '../../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { adminPaths } from '../../frame/paths.ts'
import { count } from '../../frame/words.ts'
import type { FormField, InputName } from '../crud/field.ts'
import { type PlannedField, planForm } from '../crud/field-rules.ts'
import { ObjectForm, refusedForm, type ShownForm, savedForm } from '../crud/form.tsx'
import type { Row } from '../crud/row.ts'
import { submitChange } from '../crud/submit.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import { type OperatorVisit, operatorVisit } from '../frame/operator.ts'
import {
  addFactorDemandRoutes,
  demandOf,
  FactorDemandPanel,
  type FactorDemandProps,
} from './factor-demand.tsx'

/** A form of some settings, in a panel of its own. */
export interface SettingsPanel {
  /** The form is sent to `/admin/settings/`, followed by this. */
  readonly path: string
  readonly title: string
  readonly lead?: string
  readonly submit: string
  readonly fields: readonly PlannedField[]
  /** The notice after it was saved, by the school as it is then. */
  readonly done?: readonly [on: string, off: string]
}

type SettingField = FormField<InputName<typeof changeSettings>>

export function settingFields(...fields: readonly SettingField[]): readonly PlannedField[] {
  return planForm(changeSettings, fields)
}

/** Without mail people cannot sign up, and are not invited. */
export function settingsPanels(mailIsSent: boolean): readonly SettingsPanel[] {
  const withoutMail = (nothing: string) =>
    mailIsSent
      ? ''
      : ` This server does not send email yet, so ${nothing} until its administrator sets SMTP_URL.`
  return [
    {
      path: 'beta',
      title: 'Beta features',
      lead: 'New, and still changing. You can switch them off again.',
      submit: 'Save beta features',
      fields: settingFields({
        name: 'mcp_connections',
        label: 'MCP connections',
        hint: 'Shows the Developers area, where you create OAuth applications for your members and tools for owners and admins, and the Member API explorer. Off hides both: existing applications and tools continue to work, and you stop them under Apps and assistants.',
      }),
      done: ['mcp-on', 'mcp-off'],
    },
    {
      path: 'sign-up',
      title: 'Sign-up',
      submit: 'Save sign-up',
      fields: settingFields({
        name: 'sign_up',
        label: 'Let people sign up as students',
        hint: `Anyone with an email address can make an account and become a student here, also a person whom you removed before. They get no access to courses by it.${withoutMail('nobody can sign up')}`,
      }),
      done: ['sign-up-on', 'sign-up-off'],
    },
    {
      path: 'invitations',
      title: 'Invitations',
      submit: 'Save invitations',
      fields: settingFields({
        name: 'invites_people',
        label: 'Invite people whom you add',
        hint: `They get an email with a link to choose a password, or to sign in if they have an account.${withoutMail('no invitation is sent')}`,
      }),
      done: ['invitations-on', 'invitations-off'],
    },
    {
      path: 'notifications',
      title: 'Notifications',
      lead: `By email and in the inbox, as each member wants it.${withoutMail('members find them only in their inbox')}`,
      submit: 'Save notifications',
      fields: settingFields({
        name: 'quiet_causes',
        label: 'Members are not told when',
        kind: 'choices',
        choices: Object.entries(CAUSES).map(([cause, { when }]) => [cause, when] as const),
      }),
    },
    {
      path: 'videos',
      title: 'Videos',
      submit: 'Save videos',
      fields: settingFields({
        name: 'video_hosts',
        label: 'Hosts whose videos play in lectures',
        kind: 'lines',
        hint: 'One per line, such as www.youtube-nocookie.com (YouTube with fewer cookies), www.youtube.com or vimeo.com. A video from another host is a link.',
      }),
    },
    {
      path: 'security',
      title: 'Security',
      submit: 'Save security',
      fields: settingFields({
        name: 'end_authorization_on_replay',
        label: 'Disconnect an app when an old sign-in of it is used again',
        hint: 'Stops an attacker who copied an old refresh token, but also an app that was restored from a backup. The audit log shows it in both cases.',
      }),
    },
  ]
}

interface SettingsProps extends AdminFrame {
  readonly panels: readonly (SettingsPanel & { readonly form: ShownForm })[]
  readonly demand: FactorDemandProps
}

export function settingsPage(props: SettingsProps): string {
  return adminPage({
    ...props,
    title: 'Settings',
    children: (
      <>
        <PageHead title="Settings" />
        {props.panels.map(({ path, title, lead, submit, form }) => (
          <Panel title={title} lead={lead}>
            <ObjectForm
              {...props}
              {...form}
              action={`${adminPaths.settings}/${path}`}
              submit={submit}
            />
          </Panel>
        ))}
        <FactorDemandPanel {...props} />
      </>
    ),
  })
}

const NOTICES = {
  'mcp-on':
    'MCP connections is on. You find OAuth applications, assistants and operator tools under Developers.',
  'mcp-off':
    'MCP connections is off. Existing applications and tools continue to work; you find them under Apps and assistants.',
  'sign-up-on': 'Sign-up is on. People find “Make an account” on the sign-in page.',
  'sign-up-off': 'Sign-up is off. Links that are still in mailboxes no longer work.',
  'invitations-on': 'People whom you add from now on get an invitation by mail.',
  'invitations-off': 'People whom you add get no mail. You can invite each of them on their page.',
  saved: 'Saved.',
  'demand-refused': {
    warning: 'Nothing was changed: only an owner with a passkey or a second factor can demand one.',
  },
}

export function addSettingsRoutes(app: FastifyInstance, context: AppContext): void {
  addFactorDemandRoutes(app, context)
  const panels = settingsPanels(context.mailer !== undefined)

  app.get(adminPaths.settings, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    return await show(visit, panels)
  })

  for (const panel of panels) {
    app.post(`${adminPaths.settings}/${panel.path}`, async (request, reply) => {
      const visit = await operatorVisit(context, request, reply, adminPaths.settings)
      const { sent, refused } = await saveSettings(visit, panel.fields)
      if (refused !== undefined) {
        return await show(visit, panels, { path: panel.path, ...refused })
      }
      const [on = 'saved', off = 'saved'] = panel.done ?? []
      const isOn = panel.fields.some(({ name }) => sent.get(name) === 'on')
      return visit.goTo(`${adminPaths.settings}?done=${isOn ? on : off}`)
    })
  }
}

async function show(
  visit: OperatorVisit,
  panels: readonly SettingsPanel[],
  refused?: RefusedForm & { readonly path: string },
): Promise<FastifyReply> {
  const saved = settingsRow(visit.request.school)
  const mails = await readMailDays(visit.request.schoolDb)
  const shown = panels.map(async (panel) => ({
    ...panel,
    ...(panel.path === 'notifications' ? { lead: `${panel.lead}${mailsInWords(mails)}` } : {}),
    form: panel.path === refused?.path ? refused.form : await savedForm(visit, panel.fields, saved),
  }))
  const page = settingsPage({
    ...visit.frame(NOTICES),
    panels: await Promise.all(shown),
    demand: await demandOf(visit),
  })
  return visit.page(page, refused?.status)
}

function mailsInWords({ sent, refused }: MailDay): string {
  const refusals =
    refused === 0
      ? ''
      : ` The mail server refused ${refused}: their addresses do not exist, or take no mail.`
  if (sent + refused === 0) return ''
  return ` ${count(sent, 'email was', 'emails were')} sent in the last seven days.${refusals}`
}

/** What the forms of settings begin with. */
export function settingsRow(school: School): Row {
  return {
    mcp_connections: school.mcpConnections,
    sign_up: school.signUp,
    invites_people: school.invitesPeople,
    end_authorization_on_replay: school.endAuthorizationOnReplay,
    video_hosts: school.videoHosts,
    quiet_causes: school.quietCauses,
    document_hosts: school.documentHosts,
    open_registration: school.openRegistration,
  }
}

interface RefusedForm {
  readonly form: ShownForm
  readonly status: number
}

/** Saves the settings of a form. */
export async function saveSettings(
  visit: OperatorVisit,
  fields: readonly PlannedField[],
): Promise<{ readonly sent: URLSearchParams; readonly refused?: RefusedForm }> {
  const { request } = visit
  const sent = visit.form()
  const load = async () => settingsRow(request.school)
  const submission = { operation: changeSettings, fields, fixed: {} }
  const { before, outcome } = await submitChange(visit, sent, load, submission)
  if (outcome.kind === 'not_found') throw new RequestRefusedError(404, outcome.detail)
  if (outcome.kind === 'done') return { sent }
  const form = await refusedForm(visit, fields, outcome, before)
  return { sent, refused: { form, status: outcome.status } }
}
