import { Button, Form } from '../../../../foundation/html/components.tsx'
import { ButtonLink, Panel } from '../../../../foundation/html/site-components.tsx'
import { type AdminFrame, paths, switchOffPath } from './admin-page.tsx'

interface StandingProps extends AdminFrame {
  clientId: string
  disabled: boolean
  /** The administrator of the server switched it off at all schools. */
  platformDisabled?: boolean
}

/** Switches a client of any kind off and on, only at this school. */
export function StandingPanel({ clientId, disabled, platformDisabled, viewer }: StandingProps) {
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
        lead="Stops new authorizations and new tokens at this school, and refuses its current tokens at once. If you switch it on again, the tokens work again."
      >
        <ButtonLink look="plain" href={switchOffPath(clientId)}>
          Switch off
        </ButtonLink>
      </Panel>
    )
  }
  return (
    <Panel
      title="Switched off"
      lead="It gets no new authorization and no new tokens at this school, and its current tokens are refused. If you switch it on again, they work again."
    >
      <Form
        action={paths.standing}
        formToken={viewer?.formToken ?? ''}
        hidden={{ client: clientId, standing: 'on' }}
      >
        <Button look="plain">Switch on</Button>
      </Form>
    </Panel>
  )
}
