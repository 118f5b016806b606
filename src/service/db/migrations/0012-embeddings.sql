-- What a chunk means, as a vector of the length 1, and the model that made it. PostgreSQL can compare such arrays by
-- itself, and by pgvector where that is installed.
ALTER TABLE chunks ADD COLUMN embedding real[], ADD COLUMN embedding_model text;
