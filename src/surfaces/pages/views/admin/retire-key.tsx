import { type AdminFrame, paths } from './admin-page.tsx'
import { questionPage } from './question-page.tsx'

interface RetireKeyProps extends AdminFrame {
  kid: string
  isWrongName: boolean
}

/** The question before a key can sign no more. */
export function retireKeyPage(props: RetireKeyProps): string {
  const { kid, isWrongName } = props
  return questionPage({
    ...props,
    here: paths.keys,
    title: 'Retire a signing key',
    question: 'Retire this signing key?',
    back: { url: paths.keys, label: 'Signing keys' },
    tone: 'danger',
    consequence: (
      <p>
        It can never sign again, and leaves the key set after a day. To sign with another key than
        the active one, you then have to publish one and wait until every app has fetched it.
      </p>
    ),
    form: {
      path: `${paths.keys}/retire`,
      hidden: { kid },
      typed: { name: kid, isWrong: isWrongName, nothing: 'Nothing was changed.' },
      button: 'Retire',
    },
  })
}
