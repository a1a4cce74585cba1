import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { Button, Form, Name } from '../../../../foundation/html/components.tsx'
import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { countUpTo } from '../words.ts'
import { type AdminFrame, adminPage, paths } from './admin-page.tsx'

interface EndAccessProps extends AdminFrame {
  client: ListedClient
  /** With a live authorization. */
  people: number
  /** The page of the client. */
  back: string
}

export function endAccessPage(props: EndAccessProps): string {
  const { client, people, back } = props
  const { clientId, name } = client
  return adminPage({
    ...props,
    here: back,
    title: 'End all access',
    children: (
      <>
        <PageHead
          title={
            <>
              End all access of <Name text={name} fallback={clientId} />?
            </>
          }
          up={{ url: back, label: 'Back to the app' }}
        />
        <section class="panel panel-danger">
          <p>
            {people === 0
              ? 'No person has given it access at the moment.'
              : `${countUpTo(people, 'person has', 'people have')} given it access. All its tokens stop working at once.`}
          </p>
          <p>The app may ask people again. To prevent that, switch it off.</p>
          <Form
            class="actions"
            action={paths.endAccess}
            formToken={props.viewer?.formToken ?? ''}
            hidden={{ client: clientId }}
          >
            <Button look="danger">End all access</Button>
            <ButtonLink look="plain" href={back}>
              Cancel
            </ButtonLink>
          </Form>
        </section>
      </>
    ),
  })
}
