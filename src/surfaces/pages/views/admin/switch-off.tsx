import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { Button, Form, Name } from '../../../../foundation/html/components.tsx'
import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { countUpTo } from '../words.ts'
import { type AdminFrame, adminPage, paths } from './admin-page.tsx'

interface SwitchOffProps extends AdminFrame {
  client: ListedClient
  /** With a live authorization. */
  people: number
  /** The page of the client. */
  back: string
}

/** The question before a client of any kind is switched off at this school. */
export function switchOffPage(props: SwitchOffProps): string {
  const { client, people, back } = props
  const { clientId, name } = client
  return adminPage({
    ...props,
    here: back,
    title: 'Switch off',
    children: (
      <>
        <PageHead
          title={
            <>
              Switch <Name text={name} fallback={clientId} /> off?
            </>
          }
          up={{ url: back, label: 'Back to the app' }}
        />
        <section class="panel panel-danger">
          <p>
            {people === 0
              ? 'No person has given it access at the moment.'
              : `${countUpTo(people, 'person has', 'people have')} given it access. It stops working for them at once.`}
          </p>
          <p>
            It gets no new authorization and no new tokens at this school. You can switch it on
            again: what people allowed stays, and their tokens work again.
          </p>
          <Form
            class="actions"
            action={paths.standing}
            formToken={props.viewer?.formToken ?? ''}
            hidden={{ client: clientId, standing: 'off' }}
          >
            <Button look="danger">Switch off</Button>
            <ButtonLink look="plain" href={back}>
              Cancel
            </ButtonLink>
          </Form>
        </section>
      </>
    ),
  })
}
