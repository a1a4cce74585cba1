-- A process that ends between storing a file and saying so in the job would leave the file for ever.
alter table jobs add column storing text;
comment on column jobs.storing is 'the key of a file that a run is about to store; null once it is among its files';
