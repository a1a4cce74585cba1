import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Outcome } from '../../../../domain/operation/operation.ts'
import type { SchoolChanges } from '../../../../domain/schools/school-details.ts'
import { changeSettings } from '../../../../domain/schools/school-operations.ts'
import { Button, Form } from '../../../../foundation/html/components.tsx'
import { Checkbox, TextArea } from '../../../../foundation/html/form-fields.tsx'
import { PageHead, Panel } from '../../../../foundation/html/site-components.tsx'
import type { AppContext } from '../../../../gate/context.ts'
import { adminPaths } from '../../frame/paths.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import {
  changesIn,
  type FieldVersions,
  Overwrites,
  shownDigests,
  shownField,
  versionsOf,
} from '../frame/changes-in-form.tsx'
import { type OperatorVisit, operatorVisit } from '../frame/operator.ts'
import {
  addFactorDemandRoutes,
  demandOf,
  FactorDemandPanel,
  type FactorDemandProps,
} from './factor-demand.tsx'

interface SettingsProps extends AdminFrame {
  mcpConnections: boolean
  endAuthorizationOnReplay: boolean
  demand: FactorDemandProps
  signUp: boolean
  invitesPeople: boolean
  /** Without mail people cannot sign up, and are not invited. */
  mailIsSent: boolean
  videos: VideoSettings
}

interface VideoSettings {
  /** One per line. */
  hosts: string
  problems: readonly string[]
  /** Fields of the form itself: what it showed when it was opened. */
  hidden?: Readonly<Record<string, string>>
  /** Fields that another person changed while the form was open. */
  overwrites?: readonly FieldVersions[]
}

const VIDEO_FIELDS = [
  { field: 'video_hosts', label: 'Hosts whose videos play in lectures' },
] as const

export function settingsPage(props: SettingsProps): string {
  const formToken = props.viewer?.formToken ?? ''
  return adminPage({
    ...props,
    title: 'Settings',
    children: (
      <>
        <PageHead title="Settings" />
        <Panel title="Beta features" lead="New, and still changing. You can switch them off again.">
          <Form action={`${adminPaths.settings}/beta`} formToken={formToken}>
            <Checkbox
              id="mcp_connections"
              name="mcp_connections"
              value="on"
              label="MCP connections"
              hint="Shows the Developers area, where you create OAuth applications for your members and tools for owners and admins, and the Member API explorer. Off hides both: existing applications and tools continue to work, and you stop them under Apps and assistants."
              checked={props.mcpConnections}
            />
            <Button look="primary">Save beta features</Button>
          </Form>
        </Panel>
        <Panel title="Sign-up">
          <Form action={`${adminPaths.settings}/sign-up`} formToken={formToken}>
            <Checkbox
              id="sign_up"
              name="sign_up"
              value="on"
              label="Let people sign up as students"
              hint={`Anyone with an email address can make an account and become a student here, also a person whom you removed before. They get no access to courses by it.${props.mailIsSent ? '' : ' This server does not send email yet, so nobody can sign up until its administrator sets SMTP_URL.'}`}
              checked={props.signUp}
            />
            <Button look="primary">Save sign-up</Button>
          </Form>
        </Panel>
        <Panel title="Invitations">
          <Form action={`${adminPaths.settings}/invitations`} formToken={formToken}>
            <Checkbox
              id="invites_people"
              name="invites_people"
              value="on"
              label="Invite people whom you add"
              hint={`They get an email with a link to choose a password, or to sign in if they have an account.${props.mailIsSent ? '' : ' This server does not send email yet, so no invitation is sent until its administrator sets SMTP_URL.'}`}
              checked={props.invitesPeople}
            />
            <Button look="primary">Save invitations</Button>
          </Form>
        </Panel>
        <Panel title="Videos">
          <Form
            action={`${adminPaths.settings}/videos`}
            formToken={formToken}
            hidden={props.videos.hidden ?? {}}
          >
            <Overwrites fields={props.videos.overwrites ?? []} />
            <TextArea
              name="video_hosts"
              label="Hosts whose videos play in lectures"
              hint="One per line, such as www.youtube-nocookie.com (YouTube with fewer cookies), www.youtube.com or vimeo.com. A video from another host is a link."
              value={props.videos.hosts}
              rows={3}
              problems={props.videos.problems}
            />
            <Button look="primary">Save videos</Button>
          </Form>
        </Panel>
        <Panel title="Security">
          <Form action={`${adminPaths.settings}/security`} formToken={formToken}>
            <Checkbox
              id="end_authorization_on_replay"
              name="end_authorization_on_replay"
              value="on"
              label="Disconnect an app when an old sign-in of it is used again"
              hint="Stops an attacker who copied an old refresh token, but also an app that was restored from a backup. The audit log shows it in both cases."
              checked={props.endAuthorizationOnReplay}
            />
            <Button look="primary">Save security</Button>
          </Form>
        </Panel>
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

/** Settings that are on or off, each with the notice after it was saved. */
const SWITCHES = [
  { path: 'beta', setting: 'mcp_connections', on: 'mcp-on', off: 'mcp-off' },
  { path: 'sign-up', setting: 'sign_up', on: 'sign-up-on', off: 'sign-up-off' },
  { path: 'invitations', setting: 'invites_people', on: 'invitations-on', off: 'invitations-off' },
  { path: 'security', setting: 'end_authorization_on_replay', on: 'saved', off: 'saved' },
] as const

export function addSettingsRoutes(app: FastifyInstance, context: AppContext): void {
  addFactorDemandRoutes(app, context)

  app.get(adminPaths.settings, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    return await show(visit)
  })

  app.post(`${adminPaths.settings}/videos`, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply, adminPaths.settings)
    const form = visit.form()
    const hosts = form.get('video_hosts') ?? ''
    const video_hosts = [...new Set(hosts.split('\n').flatMap((line) => line.trim() || []))]
    const typed = { video_hosts }
    const stored = videosOf(request)
    const { changes, overwritten, shown } = changesIn(form, typed, stored)
    const again = { hosts, hidden: shownField(shown) }
    if (overwritten.length > 0) {
      const overwrites = versionsOf(overwritten, VIDEO_FIELDS, typed, stored)
      const videos = { ...again, problems: [], overwrites }
      return await show(visit, videos, 409)
    }
    const outcome = await saveSettings(visit, changes)
    if (outcome.kind === 'invalid') {
      const problems = outcome.problems.map(({ detail }) => detail)
      return await show(visit, { ...again, problems }, 400)
    }
    return visit.goTo(`${adminPaths.settings}?done=saved`)
  })

  for (const { path, setting, on, off } of SWITCHES) {
    app.post(`${adminPaths.settings}/${path}`, async (request, reply) => {
      const visit = await operatorVisit(context, request, reply, adminPaths.settings)
      const isOn = visit.form().get(setting) === 'on'
      await saveSettings(visit, { [setting]: isOn })
      return visit.goTo(`${adminPaths.settings}?done=${isOn ? on : off}`)
    })
  }
}

/** The hosts of videos as they are saved now. */
function videosOf({ school }: FastifyRequest) {
  return { video_hosts: school.videoHosts }
}

async function show(
  visit: OperatorVisit,
  videos?: VideoSettings,
  status = 200,
): Promise<FastifyReply> {
  const { context, request } = visit
  const { mcpConnections, endAuthorizationOnReplay, signUp, invitesPeople } = request.school
  const page = settingsPage({
    ...visit.frame(NOTICES),
    mcpConnections,
    endAuthorizationOnReplay,
    demand: await demandOf(visit),
    signUp,
    invitesPeople,
    mailIsSent: context.mailer !== undefined,
    videos: videos ?? {
      hosts: request.school.videoHosts.join('\n'),
      problems: [],
      hidden: shownField(shownDigests(videosOf(request))),
    },
  })
  return visit.page(page, status)
}

/** Saves, and clears this process's cache of the school, so that the next page shows the change. */
export async function saveSettings(visit: OperatorVisit, changes: SchoolChanges): Promise<Outcome> {
  const outcome = await visit.perform(changeSettings, changes)
  visit.context.directory.forget(visit.request.school.id)
  return outcome
}
