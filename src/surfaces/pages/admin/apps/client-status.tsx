import { Button, Form } from '../../../../foundation/html/components.tsx'
import { ButtonLink, Panel } from '../../../../foundation/html/site-components.tsx'
import { adminPaths } from '../../frame/paths.ts'
import { type AdminFrame, switchOffPath } from '../frame/admin-page.tsx'

interface StatusProps extends AdminFrame {
  clientId: string
  disabled: boolean
  /** The administrator of this server switched it off at all schools. */
  platformDisabled?: boolean
}

/** Switches a client of any kind off and on, only at this school. */
export function StatusPanel({ clientId, disabled, platformDisabled, viewer }: StatusProps) {
  if (platformDisabled) {
    return (
      <Panel
        title="Switched off"
        lead="The administrator of this server switched this platform off at all schools."
      />
    )
  }
  if (!disabled) {
    return (
      <Panel
        title="Switch off"
        lead="It stops working at this school at once, for all people, and cannot ask them again. What people allowed stays, so it goes on when you switch it on again."
      >
        <div class="actions">
          <ButtonLink look="plain" href={switchOffPath(clientId)}>
            Switch off…
          </ButtonLink>
        </div>
      </Panel>
    )
  }
  return (
    <Panel
      title="Switched off"
      lead="It can do nothing at this school, and cannot ask people for access. What they allowed is kept, so it goes on when you switch it on again."
    >
      <Form
        action={adminPaths.clientStatus}
        formToken={viewer?.formToken ?? ''}
        hidden={{ client: clientId, standing: 'on' }}
      >
        <Button look="plain">Switch on</Button>
      </Form>
    </Panel>
  )
}
