import { Button, Form } from '../../../../foundation/html/components.tsx'
import { Checkbox, TextArea } from '../../../../foundation/html/form-fields.tsx'
import { PageHead, Panel } from '../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage, paths } from './admin-page.tsx'
import { type FieldVersions, Overwrites } from './both-versions.tsx'
import { FactorDemandPanel, type FactorDemandProps } from './factor-demand.tsx'

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

export interface VideoSettings {
  /** One per line. */
  hosts: string
  problems: readonly string[]
  /** Fields of the form itself: what it showed when it was opened. */
  hidden?: Readonly<Record<string, string>>
  /** Fields that another person changed while the form was open. */
  overwrites?: readonly FieldVersions[]
}

export const VIDEO_FIELDS = [
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
          <Form action={`${paths.settings}/beta`} formToken={formToken}>
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
          <Form action={`${paths.settings}/sign-up`} formToken={formToken}>
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
          <Form action={`${paths.settings}/invitations`} formToken={formToken}>
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
            action={`${paths.settings}/videos`}
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
              errors={props.videos.problems}
            />
            <Button look="primary">Save videos</Button>
          </Form>
        </Panel>
        <Panel title="Security">
          <Form action={`${paths.settings}/security`} formToken={formToken}>
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
