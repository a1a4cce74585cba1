import { Alert } from '../../../foundation/html/components.tsx'

/** What became of the form that a person sent. */
export type Interrupted = 'kept' | 'too_long' | 'files'

/** On a page that stands between a person and the form that they sent. */
export function InterruptedAlert({ title, kind }: { title: string; kind: Interrupted }) {
  return (
    <Alert tone="warning" title={title}>
      <p>{WORDS[kind]}</p>
    </Alert>
  )
}

const WORDS: Record<Interrupted, string> = {
  kept: 'What you typed is kept for 30 minutes. You can send it after this step.',
  too_long:
    'What you typed is too long to be kept. Go back in your browser and copy it before you continue.',
  files: 'Files are never kept. Choose yours again after this step.',
}
