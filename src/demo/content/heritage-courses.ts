import type { CourseSketch } from './school-content.ts'

export const heritageCourses: readonly CourseSketch[] = [
  {
    slug: 'history-of-the-book',
    title: 'A History of the Book',
    summary: 'From clay to paper to glass, with the objects on the table.',
    price: 180,
    taughtBy: ['lecturer-six'],
    sections: [
      {
        title: 'Before paper',
        lectures: [
          'Clay and reed',
          'Rolls of papyrus',
          'Parchment',
          'The codex arrives',
          'Monks at their desks',
          'Quiz: what is a book?',
        ],
      },
      {
        title: 'The press',
        lectures: [
          'Cutting a punch',
          'Casting type',
          'Setting a page',
          'Ink and pressure',
          'The first printed errors',
          'Quiz: inside a print shop',
        ],
      },
      {
        title: 'Readers',
        unlockAfterDays: 25,
        lectures: [
          'Reading aloud',
          'Reading in silence',
          'Lending libraries',
          'Censors and smugglers',
          'Serial novels',
          'Quiz: who could read?',
        ],
      },
      {
        title: 'Machines',
        unlockInDays: 45,
        lectures: [
          'Steam and rotary presses',
          'Paperbacks',
          'Phototypesetting',
          'The page on a screen',
          'What survives',
          'Capstone: describe one book',
        ],
      },
    ],
  },
  {
    slug: 'bookbinding-by-hand',
    title: 'Bookbinding by Hand',
    summary: 'Fold, sew, round and case in a book you will keep.',
    price: 140,
    taughtBy: ['lecturer-seven'],
    sections: [
      { title: 'Paper', lectures: ['Grain direction', 'Folding signatures', 'Piercing'] },
      { title: 'Thread', lectures: ['Kettle stitch', 'Sewing on tapes', 'Rounding the spine'] },
      { title: 'Boards', lectures: ['Cutting boards', 'Covering', 'Quiz: name the parts'] },
    ],
  },
  {
    slug: 'calligraphy-foundations',
    title: 'Calligraphy Foundations',
    summary: 'One alphabet, one pen, one careful month.',
    price: 95,
    taughtBy: ['lecturer-seven'],
    sections: [
      { title: 'The pen', lectures: ['Holding the pen', 'Angle and weight', 'Ladders'] },
      { title: 'The letters', lectures: ['Straight strokes', 'Round letters', 'Spacing a line'] },
    ],
  },
  {
    slug: 'watercolor-landscapes',
    title: 'Watercolor in the Old Manner',
    summary: 'Three pigments and a brown ink, as travellers once carried.',
    price: 85,
    taughtBy: ['lecturer-seven'],
    sections: [
      { title: 'Tools', lectures: ['Grinding pigment', 'Ink from galls', 'Laid paper'] },
      { title: 'Views', lectures: ['A ruin', 'A river bend', 'Trees in a park'] },
    ],
  },
  {
    slug: 'speaking-with-ease',
    title: 'Rhetoric: Speaking with Ease',
    summary: 'Classical exercises for modern meetings.',
    price: 70,
    taughtBy: ['lecturer-six'],
    sections: [
      { title: 'Invention', lectures: ['Finding arguments', 'Order', 'Style'] },
      { title: 'Delivery', lectures: ['Memory', 'Gesture', 'Quiz: a short speech'] },
    ],
  },
  {
    slug: 'study-skills-starter',
    title: 'The Commonplace Book',
    summary: 'Free: keep what you read.',
    price: 0,
    taughtBy: ['lecturer-six'],
    sections: [{ title: 'Start', lectures: ['Copying by hand', 'An index of your own'] }],
  },
  {
    slug: 'paper-marbling',
    title: 'Paper Marbling',
    summary: 'No longer sold: colour afloat on carrageen.',
    price: 65,
    state: 'archived',
    taughtBy: ['lecturer-seven'],
    sections: [{ title: 'The bath', lectures: ['Cooking the size', 'Combs', 'Drying sheets'] }],
  },
]
