import { Button, Form } from '../../../../../foundation/html/components.tsx'
import { Panel } from '../../../../../foundation/html/site-components.tsx'
import { paths } from '../admin-page.tsx'

export const RECOUNT_PATH = `${paths.analytics}/recount`

/** For an operator who sees a figure that is wrong. */
export function RecountPanel({ formToken }: { formToken: string }) {
  return (
    <Panel title="A figure looks wrong?">
      <p>
        The server keeps these figures up to date by itself. If rows were changed directly in the
        database, they can be counted anew. The figures stay visible meanwhile.
      </p>
      <Form class="actions" action={RECOUNT_PATH} formToken={formToken}>
        <Button look="quiet">Count the figures anew</Button>
      </Form>
    </Panel>
  )
}
