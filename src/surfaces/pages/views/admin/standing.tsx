import { Button, Form } from '../../../../foundation/html/components.tsx'
import { Panel } from '../../../../foundation/html/site-components.tsx'
import { type AdminFrame, paths } from './admin-page.tsx'

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
  return (
    <Panel
      title={disabled ? 'Switched off' : 'Switch off'}
      lead={
        disabled
          ? 'It gets no new authorization and no new tokens at this school, and its current tokens are refused. If you switch it on again, they work again.'
          : 'Stops new authorizations and new tokens at this school, and refuses its current tokens at once. If you switch it on again, the tokens work again.'
      }
    >
      <Form
        action={`${paths.clients}/standing`}
        formToken={viewer?.formToken ?? ''}
        hidden={{ client: clientId, standing: disabled ? 'on' : 'off' }}
      >
        <Button look="plain">{disabled ? 'Switch on' : 'Switch off'}</Button>
      </Form>
    </Panel>
  )
}
